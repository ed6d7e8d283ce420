"""A query to its ranked results: understand, filter, retrieve, fuse, rank, rerank, diversify, expand."""
