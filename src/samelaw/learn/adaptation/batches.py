"""Batches of a domain that depend on the seed and the step alone, and outputs for all its rows."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, Subset, default_collate

from samelaw.core.types import Matrix
from samelaw.learn.adaptation.datasets import Domain, FeatureDomain
from samelaw.learn.adaptation.selection import Outputs

_MOST_ROWS = 2_000


def take(domain: Domain, indices: list[int]) -> Domain:
    """A part of a domain."""
    return domain.take(indices) if isinstance(domain, FeatureDomain) else Subset(domain, indices)


class _Whole(Dataset[tuple[Tensor, Tensor]]):
    """A domain that hands over whole batches: one look-up for rows in memory."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    def __len__(self) -> int:
        return len(self.domain)  # type: ignore[arg-type]

    def __getitems__(self, indices: list[int]) -> tuple[Tensor, Tensor]:
        if isinstance(self.domain, FeatureDomain):
            part = self.domain.take(indices)
            return part.inputs, part.labels
        inputs, labels = default_collate([self.domain[index] for index in indices])
        return inputs, labels


def _as_it_is(batch: object) -> object:
    return batch


def hold_out(source: Domain, share: float, seed: int) -> tuple[Domain, Domain | None]:
    """The rows to train on and the share kept out, if any."""
    count = len(source)  # type: ignore[arg-type]
    kept_out = round(share * count)
    if kept_out == 0:
        return source, None
    if kept_out == count:
        raise ValueError(f"held_out={share} leaves none of the {count} rows to train on.")
    order = np.random.default_rng([seed, 2]).permutation(count).tolist()
    return take(source, order[kept_out:]), take(source, order[:kept_out])


def few_rows(domain: Domain) -> Domain:
    """Evenly spaced rows, at most two thousand: enough to look at."""
    count = len(domain)  # type: ignore[arg-type]
    if count <= _MOST_ROWS:
        return domain
    return take(domain, np.linspace(0, count - 1, _MOST_ROWS).astype(int).tolist())


@lru_cache(maxsize=8)
def _permutation(seed: tuple[int, ...], epoch: int, count: int) -> Matrix:
    return np.random.default_rng([*seed, epoch]).permutation(count)


def batch_rows(seed: Sequence[int], count: int, size: int, step: int) -> list[int]:
    """The rows of a batch: epochs of shuffled rows, end to end, known from the step alone."""
    places = np.arange(step * size, (step + 1) * size)
    epochs = places // count
    parts = [
        _permutation(tuple(seed), int(epoch), count)[places[epochs == epoch] % count]
        for epoch in np.unique(epochs)
    ]
    rows: list[int] = np.concatenate(parts).tolist()
    return rows


def batches(
    domain: Domain, size: int, seed: list[int], steps: range, workers: int
) -> Iterator[tuple[Tensor, Tensor]]:
    """Batches for a span of steps: the same whether or not the span began at 0."""
    count = len(domain)  # type: ignore[arg-type]
    rows = (batch_rows(seed, count, size, step) for step in steps)
    # A generator of its own: a loader would otherwise draw its seed from the one of dropout.
    draws = torch.Generator().manual_seed(seed[0] + steps.start)
    return iter(
        DataLoader(
            _Whole(domain),
            batch_sampler=rows,
            num_workers=workers,
            collate_fn=_as_it_is,
            generator=draws,
        )
    )


@torch.no_grad()
def outputs_of(network: nn.Module, domain: Domain) -> Outputs:
    """Features, logits and labels of all rows of a domain, with dropout off.

    Parameters
    ----------
    network : Module
        Returns (features, logits), such as `AdaptationNetwork`; left in evaluation mode.
    domain : Dataset

    Examples
    --------
    >>> import torch
    >>> from samelaw.learn.adaptation import AdaptationNetwork, FeatureDomain
    >>> outputs_of(AdaptationNetwork(None, 2, 3), FeatureDomain(torch.zeros(5, 2))).logits.shape
    torch.Size([5, 3])
    """
    network.eval()
    device = next(network.parameters()).device
    parts = []
    for inputs, labels in DataLoader(_Whole(domain), batch_size=512, collate_fn=_as_it_is):
        features, logits = network(inputs.to(device))
        parts.append((features, logits, labels.to(device)))
    return Outputs(*(torch.cat(column) for column in zip(*parts, strict=True)))
