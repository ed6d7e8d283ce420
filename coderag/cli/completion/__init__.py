"""Scripts that complete the command line in a shell."""
