"""Figure 3: the Jensen–Shannon divergence of Cauchy laws by learning, and two tables beyond it."""

from experiments.fig3.run import EXPERIMENT

if __name__ == "__main__":
    EXPERIMENT.main()
