"""An index on disk: a manifest and its immutable segments, how they are built and how they are read."""
