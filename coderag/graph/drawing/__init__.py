"""Parts of a graph as pictures."""
