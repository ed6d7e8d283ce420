"""Indexes that follow their files: events of the file system to updates."""
