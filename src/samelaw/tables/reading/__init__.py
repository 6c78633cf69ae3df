"""Tables read from anywhere."""
