"""One database system each: how to connect to it and how to query it."""
