"""The pages of a server: records of an index to HTML that a browser shows."""
