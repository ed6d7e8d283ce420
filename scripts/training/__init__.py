"""Packages of open source to the table of the static encoder."""
