"""What readers of several frameworks share."""
