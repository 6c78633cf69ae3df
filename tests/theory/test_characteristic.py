"""Theorem 6: which kernels have a characteristic square, as docs/kernels.md says."""

import re
from pathlib import Path

import numpy as np
import pytest

from samelaw import Gaussian, Laplace, rjsd
from samelaw.kernels import (
    Categorical,
    Columns,
    Cosine,
    Hamming,
    Matern,
    Mixture,
    Polynomial,
    RationalQuadratic,
)

POINTS = np.random.default_rng(0).normal(size=(12, 2))
CODES = np.array([[a, b] for a in range(4) for b in range(3)], dtype=float)
CHARACTERISTIC = {
    "Gaussian": (Gaussian(0.5), POINTS),
    "Laplace": (Laplace(1.0), POINTS),
    "Matern": (Matern(1.0, 1.5), POINTS),
    "RationalQuadratic": (RationalQuadratic(1.0, 1.0), POINTS),
    "Categorical": (Categorical(), CODES),
    "Hamming": (Hamming(1.0), CODES),
    "Mixture": (Mixture([Polynomial(1), Gaussian(0.5)], [0.5, 0.5]), POINTS),
    "Columns": (Columns(Gaussian(0.5), [0]) * Columns(Laplace(1.0), [1]), POINTS),
}
NOT = {"Cosine", "Polynomial"}


@pytest.mark.parametrize("name", CHARACTERISTIC)
def test_laws_on_distinct_points_differ_by_the_least_eigenvalue_of_the_squared_matrix(name):
    """MMD² of κ² between laws p and q on the points is (p − q)ᵀ K∘K (p − q)."""
    kernel, points = CHARACTERISTIC[name]
    assert np.linalg.eigvalsh(kernel(points, points) ** 2)[0] > 1e-6


def test_directions_alone_do_not_tell_a_sample_from_three_times_it():
    x = np.random.default_rng(1).normal(size=(30, 3))
    assert abs(rjsd(x, 3.0 * x, kernel=Cosine())) < 1e-9
    assert rjsd(x, 3.0 * x, kernel=Gaussian(1.0)) > 0.1


def test_a_polynomial_cannot_tell_all_laws_on_twelve_points_apart():
    """In one column degree 1 squared has three features: other laws share their means."""
    points = POINTS[:, :1]
    eigenvalues = np.linalg.eigvalsh(Polynomial(1)(points, points) ** 2)
    assert np.abs(eigenvalues[:-3]).max() < 1e-12
    assert eigenvalues[-3] > 1e-3


def test_the_page_has_every_kernel():
    page = (Path(__file__).parents[2] / "docs" / "kernels.md").read_text()
    section = page.split("## Which kernels tell all laws apart")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.*?) \| (yes|no)", section, re.MULTILINE)
    told = {name: word for names, word in rows for name in re.findall(r"`(\w+)", names)}
    assert told == dict.fromkeys(CHARACTERISTIC, "yes") | dict.fromkeys(NOT, "no")
