"""The index as tables: what `coderag sql` queries."""
