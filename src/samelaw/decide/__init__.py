"""From a number to a decision: permutation tests, their results and their power."""
