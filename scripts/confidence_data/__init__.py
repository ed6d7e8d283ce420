"""What the confidence is fitted to: questions asked where they have an answer, and where they have none."""
