"""Searches that are not coderag's own, to compare with: BM25, ripgrep, and any program."""
