"""What an index answers, as functions of the snapshot that a call began with; `coderag.Index` has them as methods."""
