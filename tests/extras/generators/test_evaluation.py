"""Generators against real rows: the parts together, in order, with the right names."""

import numpy as np
import pytest

from samelaw.extras.generators import compare_generators, generator_scores
from samelaw.extras.generators.evaluation import evaluate_generators


def features(scale, seed, rows=200):
    return scale * np.random.default_rng(seed).normal(size=(rows, 3))


def found(**generated):
    return evaluate_generators(features(1.0, 0), generated, permutations=99, rng=0)


def test_the_closest_comes_first_and_is_named():
    result = found(old=features(1.7, 1), new=features(1.1, 2), worst=features(3.0, 3))
    assert [one.name for one in result.generators] == ["new", "old", "worst"]
    assert result.sentence.startswith("new is closest to real.")
    assert {(pair.names, pair.closer) for pair in result.pairs} == {
        (("old", "new"), "new"),
        (("old", "worst"), "old"),
        (("new", "worst"), "new"),
    }
    assert result.reject


def test_the_numbers_are_those_of_the_parts():
    real, old, new = features(1.0, 0), features(1.3, 1), features(1.0, 2)
    result = found(old=old, new=new)
    by_name = {one.name: one for one in result.generators}
    assert by_name["old"].scores == generator_scores(real, old)
    assert result.pairs[0].comparison == compare_generators(real, old, new)
    assert result.pairs[0].pvalue == result.pairs[0].comparison.pvalue  # one pair: not adjusted
    assert not by_name["new"].told_apart


def test_generators_as_good_as_each_other_are_not_ranked():
    result = found(a=features(1.0, 1), b=features(1.0, 2))
    assert result.pairs[0].closer is None
    assert "is not shown to be closer than" in result.sentence
    assert not result.reject


def test_nothing_to_evaluate_and_other_widths_are_errors():
    with pytest.raises(ValueError, match="there is no generator"):
        found()
    with pytest.raises(ValueError, match=r"generated\['a'\] has 2 columns"):
        found(a=features(1.0, 1)[:, :2])


def test_generators_have_names():
    for nameless in (features(1.0, 1), [features(1.0, 1)]):
        with pytest.raises(TypeError, match="generated must map names to samples"):
            evaluate_generators(features(1.0, 0), nameless)
    by_epoch = {10: features(2.0, 1), 20: features(1.0, 2)}
    result = evaluate_generators(features(1.0, 0), by_epoch, permutations=99, rng=0)
    assert result.sentence.startswith("20 is closest to real.")


def test_rows_of_zeros_are_measured_too():
    """Dead units give them; they have no direction, which the Vendi score looks at."""
    some = features(1.0, 1)
    some[:5] = 0.0
    scores = found(some=some).generators[0].scores
    assert 1.0 < scores["vendi_generated"].value < 4.0
    assert scores["vendi_generated"].value > scores["vendi_real"].value  # nothing is a kind too
