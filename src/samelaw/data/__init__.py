"""Data: tables from anywhere, their columns by kind, and problems with a known answer."""
