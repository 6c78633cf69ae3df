"""Slow, obvious versions of the formulas, to hold the library against."""

import numpy as np


def spectrum(matrix):
    values = np.linalg.eigvalsh(matrix)
    return values[values > 1e-14]


def von_neumann(matrix):
    values = spectrum(matrix)
    return float(-np.sum(values * np.log(values)))


def series(matrix, order):
    """S_p from matrix powers, as the paper writes it."""
    rest = np.eye(len(matrix)) - matrix
    power, total = np.eye(len(matrix)), 0.0
    for j in range(1, order + 1):
        power = power @ rest
        total += np.trace(matrix @ power) / j
    return float(total)


def quantum_jsd(first, second, share=0.5, entropy=von_neumann):
    mixed = share * first + (1 - share) * second
    return entropy(mixed) - share * entropy(first) - (1 - share) * entropy(second)


def nuclear(matrix):
    return float(np.abs(np.linalg.eigvalsh(matrix)).sum())


def binary_entropy(share):
    return float(-share * np.log(share) - (1 - share) * np.log(1 - share))


def atoms_of(problem):
    """The atoms of a finite problem as a sample; weighted by a law they are that law exactly."""
    return np.arange(len(problem.first), dtype=float)[:, None]


def law(estimate, problem, **options):
    """An estimator of two samples applied to the two laws themselves."""
    atoms = atoms_of(problem)
    weights = (problem.first, problem.second)
    return float(estimate(atoms, atoms, kernel=problem.kernel(), sample_weights=weights, **options))
