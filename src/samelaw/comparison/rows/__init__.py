"""Rows that stand out."""
