"""Encoders: models that turn text into vectors."""
