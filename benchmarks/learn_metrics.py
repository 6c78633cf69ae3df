"""What metrics of a generator cost, beside the bare product of features and torchmetrics.

Goals: an update at most 1.3 times the product of features in the precision that is kept, over a
pass of many batches; the value from 256 features, with correction and error, under one CPU second.
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from _common import cpu_times, report
from torch import nn
from torchmetrics import Metric
from torchmetrics.image.fid import FrechetInceptionDistance, _compute_fid
from torchmetrics.image.kid import KernelInceptionDistance, poly_mmd

from samelaw.extras.generators import GeneratorMetrics, frechet_distance, kernel_inception_distance
from samelaw.learn import FourierLayer, RepresentationJSD

COLUMNS = 64
PASSES = ((2048, 256, 48), (256, 2048, 48), (2048, 512, 48))


def updates() -> list[dict[str, object]]:
    """CPU seconds of a pass of batches, in turns with the bare product of the same features."""
    rows = []
    for size, features, count in PASSES:
        layer = FourierLayer(COLUMNS, features // 2).requires_grad_(False)
        metric, times = RepresentationJSD(layer), {"ours": 0.0, "bare": 0.0, "bare, single": 0.0}
        for _ in range(count):
            batch = torch.randn(size, COLUMNS)
            for name, work in sides(metric, layer, batch).items():
                start = time.process_time()
                work()
                times[name] += time.process_time() - start
        ratio = times["ours"] / times["bare"]
        case = f"{count} batches of {size} rows, {features} features"
        rows.append({"case": case, **times, "ratio": ratio, "goal": 1.3, "met": ratio <= 1.3})
    return rows


def sides(
    metric: RepresentationJSD, layer: FourierLayer, batch: torch.Tensor
) -> dict[str, Callable[[], object]]:
    def product(dtype: torch.dtype) -> torch.Tensor:
        features: torch.Tensor = layer(batch).to(dtype)
        return features.T @ features

    return {
        "ours": lambda: metric.update(batch, real=True),
        "bare": lambda: product(torch.float64),
        "bare, single": lambda: product(torch.float32),
    }


def values() -> list[dict[str, object]]:
    """CPU seconds of the value, its correction and its error."""
    rows = []
    for features in (128, 256, 512):
        metric = RepresentationJSD(FourierLayer(COLUMNS, features // 2).requires_grad_(False))
        for real in (True, False):
            metric.update(torch.randn(8192, COLUMNS) + 0.1 * real, real=real)

        def value(metric: RepresentationJSD = metric) -> None:
            metric._computed = None
            metric.compute()

        seconds = cpu_times({"ours": value}, rounds=2)["ours"]
        rows.append({"case": f"{features} features", "ours": seconds, "goal": 1.0})
    return rows


def peers() -> list[dict[str, object]]:
    """CPU seconds beside the formulas of torchmetrics on the same features."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2000, 256)), rng.normal(size=(2000, 256)) + 0.1
    first, second = torch.tensor(x), torch.tensor(y)

    def theirs() -> None:
        _compute_fid(first.mean(0), torch.cov(first.T), second.mean(0), torch.cov(second.T))

    pairs = {
        "Fréchet, 2,000 rows of 256": (lambda: frechet_distance(x, y), theirs),
        "KID, all 2,000 rows of 256": (
            lambda: kernel_inception_distance(x, y),
            lambda: poly_mmd(first, second),
        ),
    }
    return [
        {"case": case, **cpu_times({"ours": ours, "torchmetrics": other}, rounds=3)}
        for case, (ours, other) in pairs.items()
    ]


class Given(nn.Module):
    """Features that are there already, in the place of a network."""

    num_features = 256

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return rows


def passes() -> list[dict[str, object]]:
    """CPU seconds of whole metrics: 2,000 rows of 256 on either side in batches, then the value."""
    x, y = torch.randn(2000, 256), torch.randn(2000, 256) + 0.1
    metrics: dict[str, Callable[[], Metric]] = {
        "RepresentationJSD, with its error": lambda: RepresentationJSD(
            feature=Given(), frequencies=128
        ),
        "GeneratorMetrics, all measures with errors": lambda: GeneratorMetrics(feature=Given()),
        "torchmetrics FID": lambda: FrechetInceptionDistance(feature=Given()),
        "torchmetrics KID, 100 subsets of 1,000": lambda: KernelInceptionDistance(feature=Given()),
    }

    def whole(make: Callable[[], Metric]) -> None:
        metric = make()
        for real, rows in ((True, x), (False, y)):
            for start in range(0, len(rows), 250):
                metric.update(rows[start : start + 250], real=real)
        metric.compute()

    times = cpu_times({name: partial(whole, make) for name, make in metrics.items()}, rounds=1)
    return [{"case": name, "seconds": seconds} for name, seconds in times.items()]


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    report(
        "learn_metrics",
        "updates of RepresentationJSD over the bare product of features (CPU s)",
        updates(),
        values=values(),
        peers=peers(),
        passes=passes(),
    )


if __name__ == "__main__":
    main()
