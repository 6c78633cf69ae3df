"""A decision from two samples: exact permutation tests."""
