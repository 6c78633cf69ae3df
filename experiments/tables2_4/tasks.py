"""Benchmarks and their transfer tasks, prepared without looking at target labels."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
import torch
from torch import Tensor, nn

from experiments.common import data_folder
from experiments.tables2_4 import turntable
from samelaw.learn.adaptation import AdaptationNetwork, AdaptationPlan, FeatureDomain, read_features

COMPONENTS = 256  # of the pooled features of a task; with half as many all methods lose accuracy
BOTTLENECK = 256


@dataclass(frozen=True)
class Benchmark:
    """Domains, the order of the tasks, how long to train, and the tasks β is chosen on."""

    title: str
    load: Callable[[], dict[str, FeatureDomain]]
    plan: AdaptationPlan
    pilots: tuple[str, ...]
    letters: dict[str, str]

    @property
    def tasks(self) -> list[str]:
        """Names such as A→W, for every ordered pair of domains."""
        return [f"{a}→{b}" for a, b in permutations(self.letters, 2)]


@dataclass(frozen=True, eq=False)
class Task:
    """Source and target to train on, rows of the target to test on, and a new network."""

    source: FeatureDomain
    target: FeatureDomain
    test: FeatureDomain
    network: Callable[[], AdaptationNetwork]


_FEATURES = AdaptationPlan(steps=150, batch=128, rate=0.03, evaluate=150)
_IMAGES = AdaptationPlan(steps=400, batch=64, rate=0.03, backbone_rate=1.0, evaluate=400)


def _deep(path: str) -> Callable[[], dict[str, FeatureDomain]]:
    """Rows of EfficientNet-Lite0 features, scaled to norm 1."""

    def load() -> dict[str, FeatureDomain]:
        domains = read_features(data_folder() / path)
        return {
            name.lower(): FeatureDomain(nn.functional.normalize(d.inputs), d.labels, d.classes)
            for name, d in domains.items()
        }

    return load


def _surf() -> dict[str, FeatureDomain]:
    """Histograms of SURF words: rows sum to 1, columns standardised within each domain."""
    from scipy.io import loadmat

    found = {}
    for name in ("amazon", "caltech", "dslr", "webcam"):
        stored = loadmat(data_folder() / "office_caltech10" / f"{name}_SURF_L10.mat")
        counts = stored["fts"].astype(np.float64)
        shares = counts / counts.sum(axis=1, keepdims=True)
        scaled = (shares - shares.mean(axis=0)) / (shares.std(axis=0) + 1e-9)
        labels = torch.as_tensor(stored["labels"].ravel().astype(np.int64) - 1)
        found[name] = FeatureDomain(torch.as_tensor(scaled.astype(np.float32)), labels)
    return found


def _digits() -> dict[str, FeatureDomain]:
    """Images of 16 × 16 in [0, 1]: 10,000 of MNIST and all of USPS to train, their test sets."""
    mnist = dict(np.load(data_folder() / "digits" / "mnist.npz"))
    usps = dict(np.load(data_folder() / "digits" / "usps.npz"))
    found = {}
    for part, most in (("train", 10_000), ("test", 10_000)):
        large = torch.as_tensor(mnist[f"x_{part}"][:most].astype(np.float32) / 255.0)[:, None]
        small = nn.functional.interpolate(large, 16, mode="area")
        labels = torch.as_tensor(mnist[f"y_{part}"][:most].astype(np.int64))
        found[f"mnist {part}"] = FeatureDomain(small, labels)
        images = torch.as_tensor(usps[f"x_{part}"].astype(np.float32))[:, None]
        labels = torch.as_tensor(usps[f"y_{part}"].astype(np.int64))
        found[f"usps {part}"] = FeatureDomain(images, labels)
    return found


_OFFICE_CALTECH = {"C": "caltech", "A": "amazon", "W": "webcam", "D": "dslr"}
BENCHMARKS = {
    "office31": Benchmark(
        "Office-31",
        _deep("office31_features/office31_efflite0.npz"),
        _FEATURES,
        ("A→D", "D→A"),
        {"A": "amazon", "W": "webcam", "D": "dslr"},
    ),
    "surf": Benchmark("Office-Caltech-10, SURF", _surf, _FEATURES, ("C→A", "D→C"), _OFFICE_CALTECH),
    "caltech": Benchmark(
        "Office-Caltech-10, deep",
        _deep("office_caltech10/officecaltech_efflite0.npz"),
        _FEATURES,
        ("C→W", "D→C"),
        _OFFICE_CALTECH,
    ),
    "pacs": Benchmark(
        "PACS",
        _deep("pacs_features/pacs_efflite0.npz"),
        _FEATURES,
        ("P→C", "A→S"),
        {"P": "photo", "A": "art_painting", "C": "cartoon", "S": "sketch"},
    ),
    "turntable": Benchmark(
        "Turntable (as COIL-20)",
        turntable.domains,
        _FEATURES,
        ("1→2", "2→1"),
        {"1": "first", "2": "second"},
    ),
    "digits": Benchmark(
        "MNIST, USPS", _digits, _IMAGES, ("M→U", "U→M"), {"M": "mnist", "U": "usps"}
    ),
}


@lru_cache(maxsize=1)
def _domains(benchmark: str) -> dict[str, FeatureDomain]:
    return BENCHMARKS[benchmark].load()


@lru_cache(maxsize=4)
def load_task(benchmark: str, task: str) -> Task:
    """A task such as A→W of a benchmark."""
    names = [BENCHMARKS[benchmark].letters[letter] for letter in task.split("→")]
    domains = _domains(benchmark)
    if benchmark == "digits":
        source, target = (domains[f"{name} train"] for name in names)
        return Task(source, target, domains[f"{names[1]} test"], _digit_network)
    source, target = _reduced(domains[names[0]], domains[names[1]])
    classes = int(max(source.labels.max(), target.labels.max())) + 1

    def network() -> AdaptationNetwork:
        return AdaptationNetwork(None, source.inputs.shape[1], classes, bottleneck=BOTTLENECK)

    return Task(source, target, target, network)


def _reduced(*domains: FeatureDomain) -> list[FeatureDomain]:
    """The leading principal components of both domains together, scaled to mean square 1."""
    pool = torch.cat([domain.inputs for domain in domains]).double()
    centre = pool.mean(0)
    axes = torch.linalg.eigh((pool - centre).T @ (pool - centre))[1].flip(1)[:, :COMPONENTS]
    scale = ((pool - centre) @ axes).square().mean().sqrt()

    def place(rows: Tensor) -> Tensor:
        return ((rows.double() - centre) @ axes / scale).float()

    return [FeatureDomain(place(d.inputs), d.labels, d.classes) for d in domains]


def _digit_network() -> AdaptationNetwork:
    layers: list[nn.Module] = []
    for before, after in ((1, 16), (16, 32)):
        layers += [nn.Conv2d(before, after, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    return AdaptationNetwork(
        nn.Sequential(*layers, nn.Flatten()), 32 * 4 * 4, 10, bottleneck=BOTTLENECK
    )
