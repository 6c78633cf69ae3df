"""Figure 2 of the paper: the three entropies inside RJSD while the bandwidth varies."""
