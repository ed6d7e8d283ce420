"""Generations of an index in Elasticsearch or OpenSearch, by what the documentation of both has in common."""
