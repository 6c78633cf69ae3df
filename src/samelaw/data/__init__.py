"""Data: problems with a known answer."""
