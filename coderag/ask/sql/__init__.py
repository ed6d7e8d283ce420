"""Questions to SQL that only reads: written by a model or from examples, checked, explained, and run on request."""
