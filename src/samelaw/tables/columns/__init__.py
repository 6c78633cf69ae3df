"""One column."""
