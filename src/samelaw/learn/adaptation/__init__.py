"""Domain adaptation: a loss on the joint law of several layers, and a trainer around it."""
