"""What judges how a search finds strings that are written in code."""
