"""A question to its ranked chunks: understand, retrieve, rerank, diversify."""
