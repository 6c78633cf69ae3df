"""One column: its words and numbers as they came in, how they are written, what kind they are."""
