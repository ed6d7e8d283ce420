"""A process that stays between commands, with indexes open, and answers the command line."""
