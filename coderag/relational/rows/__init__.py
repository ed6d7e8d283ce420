"""An opened index to the columns of its tables."""
