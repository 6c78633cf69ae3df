"""Figure 1 of the paper: the estimators of RJSD while the bandwidth varies."""
