"""Two tables side by side, and their columns as numbers that can be compared."""
