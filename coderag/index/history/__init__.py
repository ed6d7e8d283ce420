"""Which commits changed which lines of the files as they are now, and how that is stored."""
