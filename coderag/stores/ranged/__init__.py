"""Generations of an index on a store of objects, such as S3, of which a search reads ranges and no whole files."""
