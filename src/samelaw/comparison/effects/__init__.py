"""How large a change is."""
