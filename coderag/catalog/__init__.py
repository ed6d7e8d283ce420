"""What all files and databases declare, to the schema as it is now."""
