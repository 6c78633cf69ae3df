"""Pairs of columns: tests, measures and words."""
