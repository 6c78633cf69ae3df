"""Batches from samples, from loaders and from streams."""

import math

import numpy as np
import pytest

from optional import need

torch = need("torch")
from samelaw.learn import (  # noqa: E402
    VariationalJSD,
)
from samelaw.problems.closed_forms import CauchyPair  # noqa: E402

CAUCHY = CauchyPair.with_jsd(0.5 * math.log(2))


def stream(problem, count, size=128, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield problem.draw(size, rng=rng)


def test_stream_estimate_comes_from_batches_before_their_step():
    pairs = list(stream(CAUCHY, 30, 256))
    fit = VariationalJSD().fit(iter(pairs), rng=0)
    assert len(fit.history.readings) == len(fit.history.objective) == 30
    untouched = VariationalJSD()
    untouched.prepare(*(np.float32(p) for p in pairs[0]), rng=np.random.default_rng(0))
    with torch.no_grad():
        first = untouched.read(*(torch.as_tensor(np.float32(p)) for p in pairs[0]))
    assert fit.history.readings[0].value == pytest.approx(first.value, abs=1e-5)
    last = fit.history.readings[-3:]
    assert fit.value == pytest.approx(np.mean([r.value for r in last]))
    assert fit.estimate.rows == (768, 768)


def test_data_loaders_of_pairs_and_side_by_side():
    data = torch.utils.data
    x, y = (torch.tensor(s, dtype=torch.float32) for s in CAUCHY.draw(200, rng=0))
    together = data.DataLoader(data.TensorDataset(x, y), batch_size=50)
    assert len(VariationalJSD().fit(together, rng=0).history.objective) == 4
    first, second = (data.DataLoader(data.TensorDataset(s), batch_size=50) for s in (x, y))
    fit = VariationalJSD().fit(first, second, epochs=2, held_out=(x, y), rng=0)
    assert len(fit.history.objective) == 8
    assert fit.estimate.rows == (200, 200)


def test_a_stream_passed_twice_has_no_honest_estimate():
    x, y = (torch.tensor(s, dtype=torch.float32) for s in CAUCHY.draw(100, rng=0))
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=50)
    fit = VariationalJSD().fit(loader, epochs=2, rng=0)
    assert fit.estimate is None
    with pytest.raises(ValueError, match="held_out"):
        _ = fit.value


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"steps": 0}, ValueError, "steps"),
        ({"batch": 0}, ValueError, "batch"),
        ({"held_out": 1.5}, ValueError, "held_out"),
        ({"held_out": 0.001}, ValueError, "too few"),
        ({"y": None}, TypeError, "two samples"),
        ({"x": [[math.nan], [1.0]]}, ValueError, "NaN"),
        ({"x": iter(())}, ValueError, "no batch"),
        ({"x": iter([torch.ones(3, 1)]), "y": None}, TypeError, "pairs"),
        ({"progress": 3}, TypeError, "progress"),
    ],
)
def test_what_cannot_be_used_is_named(change, error, message):
    x, y = CAUCHY.draw(40, rng=0)
    arguments = {"x": x, "y": y, "steps": 2, "rng": 0, **change}
    with pytest.raises(error, match=message):
        VariationalJSD().fit(arguments.pop("x"), arguments.pop("y"), **arguments)
