"""What an index goes through, and what must hold of it afterwards."""
