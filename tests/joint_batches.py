"""Batches of features and class shares, and the published joint kernel on them by loops."""

import itertools

from optional import need

torch = need("torch")
from samelaw.learn.layer_kernels import FACTORS  # noqa: E402


def batches(n=7, m=5, dtype=torch.float64, classes=3, seed=0):
    generator = torch.Generator().manual_seed(seed)

    def batch(rows, shift):
        features = torch.randn(rows, 4, generator=generator, dtype=dtype) + shift
        logits = torch.randn(rows, classes, generator=generator, dtype=dtype)
        return features.requires_grad_(), logits.softmax(1).detach().requires_grad_()

    return batch(n, 0.0), batch(m, 0.7)


def pairs_by_loops(x, y, variances):
    """The joint kernel written with loops: mean over widths times the class kernel."""
    out = torch.zeros(len(x[0]), len(y[0]), dtype=x[0].dtype)
    for i, j in itertools.product(range(len(x[0])), range(len(y[0]))):
        apart = [((a[i] - b[j]) ** 2).sum() for a, b in zip(x, y, strict=True)]
        widths = [torch.exp(-apart[0] / (2 * v)) for v in variances]
        out[i, j] = sum(widths) / len(widths) * torch.exp(-apart[1] / (2 * 0.92**2))
    return out


def published_variances(x, y):
    pool = torch.cat([x[0], y[0]]).detach()
    mean = torch.cdist(pool, pool).square().mean()  # every pair, each row with itself too
    return [factor * mean for factor in FACTORS]
