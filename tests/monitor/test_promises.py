import json

import numpy as np
import pytest

from samelaw import Ever, RunLength
from samelaw.monitor.promises import as_promise, promise_from


def test_deposits_of_ever_sum_to_less_than_one_however_long():
    deposits = Ever(0.05).deposits(0, 1_000_000)
    assert np.all(deposits > 0)
    assert 0.9 < deposits.sum() < 1.0


@pytest.mark.parametrize("promise", [Ever(0.05), RunLength(500)])
def test_deposits_do_not_depend_on_how_a_stream_is_cut(promise):
    whole = promise.deposits(0, 100)
    parts = [promise.deposits(start, 25) for start in range(0, 100, 25)]
    assert np.array_equal(whole, np.concatenate(parts))


def test_all_runs_together_spend_the_level():
    """A run raises a false alarm with a probability of at most one over its threshold."""
    spent = sum(1 / Ever(0.05).threshold(run) for run in range(1, 60))
    assert spent == pytest.approx(0.05)
    assert spent <= 0.05


def test_run_length_is_the_same_in_every_run():
    assert RunLength(250).threshold(1) == RunLength(250).threshold(9) == 250.0


@pytest.mark.parametrize("promise", [Ever(0.01), RunLength(77)])
def test_a_promise_is_written_down_and_read(promise):
    assert promise_from(json.loads(json.dumps(promise.to_dict()))) == promise
    assert str(getattr(promise, "level", "77")) in promise.text


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: Ever(0), "level"),
        (lambda: Ever(1.0), "level"),
        (lambda: RunLength(1), "rows"),
        (lambda: RunLength(2.5), "rows"),
        (lambda: promise_from({"name": "Never"}), "Never"),
    ],
)
def test_what_cannot_be_promised_is_refused(make, word):
    with pytest.raises(ValueError, match=word):
        make()


def test_a_promise_is_an_object():
    with pytest.raises(TypeError, match=r"expected Ever\(0.05\) or RunLength"):
        as_promise(0.05)
