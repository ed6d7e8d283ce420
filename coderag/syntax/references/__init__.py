"""What a file mentions of things that are defined elsewhere: imports, calls, types, routes."""
