"""Sums over random blocks of rows, for tables larger than memory."""
