"""Bias, spread and cost of the plain, corrected and unbiased estimators of RJSD."""
