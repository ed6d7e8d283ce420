"""What is searched for: a query, what its words mean, and the filters it sets."""
