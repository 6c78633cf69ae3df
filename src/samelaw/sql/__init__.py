"""Two tables inside a database: statements that add up blocks of rows, and a test of the sums."""
