"""Opened indexes as searches see them: corpus, access rules, status."""
