"""The commits of a repository and the lines that each changed, read without running anything that it brings."""
