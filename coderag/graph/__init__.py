"""One graph of code and data: what calls, reads, writes and depends on what."""
