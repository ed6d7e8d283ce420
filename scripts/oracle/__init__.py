"""What Python code calls, by the standard ast module alone."""
