"""What calls of any framework's schema builder do to tables, read from the data in schemas/frameworks/."""
