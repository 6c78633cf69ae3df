"""Single columns of two tables: measures and words."""
