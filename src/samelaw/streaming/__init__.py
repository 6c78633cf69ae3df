"""Two tables larger than memory: read piece by piece, tested on sums over blocks of rows."""
