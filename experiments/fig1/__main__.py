"""Figure 1 of the paper: the estimators of RJSD while the bandwidth varies."""

from experiments.fig1.run import EXPERIMENT

if __name__ == "__main__":
    EXPERIMENT.main()
