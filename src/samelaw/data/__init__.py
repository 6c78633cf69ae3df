"""Tables from anywhere, and their columns by kind."""
