"""Files and schemas to the edges of the graph, one module for each kind."""
