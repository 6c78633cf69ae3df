"""Sums over processes: nothing happens outside a distributed run (inside one: end_to_end)."""

from optional import need

torch = need("torch")

from samelaw.learn.distributed import gathered, processes, summed  # noqa: E402


def test_one_process_keeps_its_tensors():
    rows = torch.randn(3, 2, requires_grad=True)
    assert processes() == 1
    assert summed(rows) is rows
    assert gathered(rows) is rows
    assert gathered((rows, rows)) == (rows, rows)
