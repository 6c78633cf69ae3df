"""Where a change is clearest, in words."""
