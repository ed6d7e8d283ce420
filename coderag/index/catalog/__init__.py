"""The schema of an index as a file: records, postings and vectors of tables."""
