"""Tests and effects of two tables: their columns, pairs of them, and all together."""
