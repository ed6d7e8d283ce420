"""How good are the answers: questions with known answers to figures that can be compared."""
