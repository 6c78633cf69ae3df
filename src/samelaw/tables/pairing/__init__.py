"""Two tables side by side, as numbers."""
