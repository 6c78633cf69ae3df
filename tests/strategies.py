"""What hypothesis draws: laws, operators and problems, with the awkward cases among them."""

import numpy as np
from hypothesis import strategies as st

from samelaw.problems.closed_forms import FiniteFeatures

SEEDS = st.integers(0, 2**32 - 1)
SHARES = st.floats(0.05, 0.95)


@st.composite
def law_pairs(draw, most_atoms=6):
    """Two laws on the same atoms: spread out, sparse, equal, nearly equal or disjoint."""
    atoms = draw(st.integers(2, most_atoms))
    rng = np.random.default_rng(draw(SEEDS))
    concentration = draw(st.sampled_from([0.1, 1.0, 20.0]))
    first, second = rng.dirichlet(np.full(atoms, concentration) + 1e-3, size=2)
    kind = draw(st.sampled_from(["free", "free", "equal", "near", "disjoint"]))
    if kind == "equal":
        second = first
    elif kind == "near":
        second = 0.999 * first + 0.001 * second
    elif kind == "disjoint":
        first = np.where(np.arange(atoms) < atoms // 2, 1.0, 0.0) / (atoms // 2)
        second = np.where(np.arange(atoms) < atoms // 2, 0.0, 1.0) / (atoms - atoms // 2)
    return first, second


@st.composite
def finite_problems(draw, most_atoms=6):
    """Two laws on atoms with unit features: generic, repeated or orthonormal ones."""
    first, second = draw(law_pairs(most_atoms))
    atoms = len(first)
    rng = np.random.default_rng(draw(SEEDS))
    features = rng.standard_normal((atoms, draw(st.integers(1, 5))))
    kind = draw(st.sampled_from(["generic", "generic", "repeated", "orthonormal"]))
    if kind == "repeated":
        features[-1] = features[0]
    elif kind == "orthonormal":
        features = np.linalg.qr(rng.standard_normal((atoms, atoms)))[0]
    return FiniteFeatures(features, first, second)


@st.composite
def densities(draw, count, most_size=5):
    """``count`` unit-trace positive semidefinite matrices of one size, pure ones among them."""
    size = draw(st.integers(2, most_size))
    rng = np.random.default_rng(draw(SEEDS))
    return [_density(rng, size, draw(st.integers(1, size))) for _ in range(count)]


def _density(rng, size, rank):
    root = rng.standard_normal((size, rank))
    return root @ root.T / np.sum(root * root)
