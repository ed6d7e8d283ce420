"""What scripts/fuzz.py is made of: texts to damage, ways to damage them, and what must hold all the same."""
