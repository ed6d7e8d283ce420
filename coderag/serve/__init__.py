"""The tools that agents, editors and browsers call, as plain functions, and the servers that offer them."""
