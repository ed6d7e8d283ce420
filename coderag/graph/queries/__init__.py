"""Questions about a graph: references, impact, paths, communities, an overview."""
