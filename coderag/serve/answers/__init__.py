"""The arguments of each tool to its answer."""
