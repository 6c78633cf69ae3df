"""Batches of a domain from the seed and the step alone."""

from optional import need

torch = need("torch")
from samelaw.learn.adaptation.batches import batch_rows  # noqa: E402


def test_batches_run_through_every_epoch_whole():
    rows = [batch_rows([5, 0], 10, 4, step) for step in range(5)]
    flat = [row for batch in rows for row in batch]
    assert sorted(flat[:10]) == sorted(flat[10:20]) == list(range(10))
    assert flat[:10] != flat[10:20]
