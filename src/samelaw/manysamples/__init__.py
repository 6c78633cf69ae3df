"""More than two samples: all at once, in pairs, or many against one: a control, real data."""
