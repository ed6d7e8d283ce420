"""Worker processes: files to columns, within limits of memory and time."""
