"""Words and plots: a leaf that knows nothing of statistics."""
