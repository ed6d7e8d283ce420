"""What the ranker is trained on: questions with known answers, and what the engine knows of their candidates."""
