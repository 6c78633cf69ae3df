"""More than two samples: all at once, in pairs, many against one control, generators against real ones."""
