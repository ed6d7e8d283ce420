"""Text to terms: identifiers, comments, stems."""
