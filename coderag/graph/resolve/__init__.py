"""Names as they are written to the definitions that they mean."""
