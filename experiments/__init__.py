"""Experiments: the paper's figures and tables again, and what the claims of the docs rest on.

Run one with ``python -m experiments.<name>``; none of this is part of the wheel.
"""

import os

# Experiments run many processes side by side: one BLAS thread each, unless the caller says more.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
