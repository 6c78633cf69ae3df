"""Figure 3: the Jensen–Shannon divergence of Cauchy laws by learning, and two tables beyond it."""

import sys

from experiments.fig3.run import finish, main

if __name__ == "__main__":
    finish() if "--again" in sys.argv else main(sys.argv[1:])
