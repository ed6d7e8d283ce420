"""A folder on disk to the texts in it: walk, ignore, decode, git."""
