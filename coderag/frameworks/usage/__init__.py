"""What the readers of query builders and mappers share, and which of them a file of code needs."""
