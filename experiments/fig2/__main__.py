"""Figure 2 of the paper: entropies of the samples and of the pool."""

from experiments.fig2.run import EXPERIMENT

if __name__ == "__main__":
    EXPERIMENT.main()
