"""The arguments of the commands, and their help."""
