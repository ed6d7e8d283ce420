"""From a folder on disk to chunks: walk, decode, outline, chunk."""
