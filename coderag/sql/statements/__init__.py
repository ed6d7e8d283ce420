"""Text to statements: the rules of dialects, tokens, bounds and parsing."""
