"""Names of what a feature map consists of."""

import subprocess
import sys

import numpy as np

from samelaw import Gaussian, Laplace
from samelaw.kernels import FourierFeatures, NystromFeatures
from samelaw.kernels.features import FeatureMap
from samelaw.kernels.fingerprint import fingerprint, same_map

POINTS = np.random.default_rng(0).normal(size=(4, 2))


def test_other_contents_have_other_names():
    maps = [
        FourierFeatures(POINTS.T),
        FourierFeatures(2 * POINTS.T),
        NystromFeatures(Gaussian(1.0), POINTS),
        NystromFeatures(Gaussian(2.0), POINTS),
        NystromFeatures(Gaussian(np.array([1.0, 2.0])), POINTS),
        NystromFeatures(Laplace(1.0), POINTS),
        NystromFeatures(Gaussian(1.0), POINTS, ridge=1e-3),
    ]
    assert len({fingerprint(one) for one in maps}) == len(maps)


def test_equal_contents_have_one_name():
    assert same_map(FourierFeatures(POINTS.T), FourierFeatures(POINTS.T.copy()))
    assert same_map(NystromFeatures(Gaussian(1), POINTS), NystromFeatures(Gaussian(1.0), POINTS))


def test_another_process_gives_the_same_name():
    code = (
        "from samelaw.kernels.fingerprint import fingerprint as f\n"
        "from samelaw.kernels import FourierFeatures as F\n"
        "print(f(F([[1.0, 0.5]])))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == fingerprint(FourierFeatures([[1.0, 0.5]]))


def test_a_map_that_cannot_be_looked_into_is_only_itself():
    class Own(FeatureMap):
        size = 1

        def __init__(self, scale):
            self.scale = scale

        def features(self, x):
            return np.ones((len(x), 1)) * self.scale

    one = Own(1.0)
    assert same_map(one, one)
    assert not same_map(one, Own(2.0))
