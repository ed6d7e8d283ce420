"""What was found, packed for a language model or a reader: schema context and pictures of it."""
