"""What an index is on disk: a manifest, segments, and everything in them."""
