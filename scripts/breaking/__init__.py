"""What breaks when a column is renamed, and what the graph says about it."""
