"""Bias, spread and cost of the plain, corrected and unbiased estimators of RJSD."""

from experiments.bias.run import EXPERIMENT

if __name__ == "__main__":
    EXPERIMENT.main()
