"""A query to candidates: by words, vectors, symbols, and the lists fused."""
