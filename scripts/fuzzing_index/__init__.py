"""What scripts/fuzz_index.py is made of: an index to tamper with, ways to tamper, and what must hold all the same."""
