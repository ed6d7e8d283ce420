"""What scripts/freeze.py consists of."""
