"""A change of files to what it changes in the graph, what that breaks, and what it affects."""
