"""Two tables: one verdict, the size of the change, and where it sits."""
