"""Models: what turns text into vectors, and what scores a question against a passage."""
