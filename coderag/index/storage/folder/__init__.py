"""The folder of an index: paths without links, locks, signatures, ownership."""
