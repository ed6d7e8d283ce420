"""How much a large installation needs, from what a small one was measured to need."""
