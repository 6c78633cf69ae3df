"""From samples to a number: divergences, entropies, bandwidths and their uncertainty."""
