"""Many tests at once: which pairs, which adjustment, and the same numbers however it is run."""

import json
import re

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from samelaw import Fuse, Gaussian, Laplace, group_tests, two_sample_test
from samelaw.kernels.grids import Pool
from samelaw.testing import KernelGroup
from samelaw.testing.standardize import Unscaled

SMALL = Fuse([KernelGroup([Gaussian(1.0), Laplace(2.0)], (1, 4))])


def groups():
    rng = np.random.default_rng(0)
    made = {name: rng.standard_normal((25 + 3 * i, 2)) for i, name in enumerate("abcd")}
    made["c"] += 1.5
    made["d"] += 0.4
    return made


def run(**options):
    return group_tests(groups(), **{"strategy": SMALL, "permutations": 399, "rng": 0, **options})


def test_without_a_control_all_pairs_are_tested():
    assert run().pairs == [tuple(p) for p in ("ab", "ac", "ad", "bc", "bd", "cd")]


def test_a_control_is_compared_with_the_others():
    found = run(control="b")
    assert found.pairs == [("b", "a"), ("b", "c"), ("b", "d")]
    assert [r.sizes for r in found.results] == [(28, 25), (28, 31), (28, 34)]
    assert found.reject[1]
    assert not found.reject[0]


def test_a_list_of_groups_is_known_by_number():
    found = group_tests(list(groups().values()), control=2, strategy=SMALL, rng=0)
    assert found.pairs == [("2", "0"), ("2", "1"), ("2", "3")]


@pytest.mark.parametrize(("dependent", "method"), [(False, "bh"), (True, "by")])
def test_adjusted_pvalues_are_those_of_scipy(dependent, method):
    found = run(dependent=dependent)
    raw = [result.pvalue for result in found.results]
    np.testing.assert_allclose(found.adjusted, false_discovery_control(raw, method=method))
    np.testing.assert_array_equal(found.reject, found.adjusted <= 0.05)


def test_jobs_do_not_change_the_numbers():
    one, two = run(), run(jobs=2)
    np.testing.assert_array_equal(one.adjusted, two.adjusted)
    for first, second in zip(one.results, two.results, strict=True):
        np.testing.assert_array_equal(first.null_distribution, second.null_distribution)


def test_the_statistic_is_that_of_the_single_test():
    made, plain = groups(), Fuse([KernelGroup([Gaussian(1.0)], (4,))], scaling=Unscaled())
    found = run(strategy=plain)
    for (a, b), result in zip(found.pairs, found.results, strict=True):
        single = two_sample_test(made[a], made[b], strategy=plain, permutations=19, rng=0)
        assert result.statistic == pytest.approx(single.statistic)


@pytest.mark.parametrize("count", [60, 400])
def test_shared_distances_are_those_of_the_rows(count):
    rows = 1e3 + np.random.default_rng(0).standard_normal((count, 3))
    whole, index = Pool(rows), np.arange(10, 50)
    for metric in ("sqeuclidean", "cityblock"):
        whole.distances(metric)
    part, fresh = whole.part(index), Pool(rows[index])
    for kernel in (Gaussian(0.7), Laplace(2.0)):
        accuracy = 1e-10 if count < 256 else 1e-5
        np.testing.assert_allclose(part.gram(kernel), fresh.gram(kernel), atol=accuracy)
        np.testing.assert_allclose(
            part.flat(kernel.metric), fresh.flat(kernel.metric), rtol=1e-3 if count > 256 else 1e-9
        )


def test_progress_counts_the_tests():
    seen = []
    run(progress=lambda done, total: seen.append((done, total)))
    assert seen == [(k, 6) for k in range(1, 7)]


def test_default_permutations_let_one_small_pvalue_survive():
    found = run(permutations=None)
    assert len(found.results[0].null_distribution) >= 6 / 0.05 * 20 - 1
    assert found.adjusted.min() <= 0.05


def test_text_and_dictionary_hold_every_test():
    found = run()
    assert len(str(found).splitlines()) == 7
    assert re.search(r"^a +c ", str(found), re.MULTILINE)
    assert "differ" in str(found)
    read = json.loads(json.dumps(found.to_dict()))
    assert [(t["first"], t["second"]) for t in read["tests"]] == found.pairs
    assert read["seed"] == 0
    assert read["settings"]["strategy"] == repr(SMALL)
    assert read["settings"]["dependent"] is False


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {"control": "z"}, "control is 'z'; the groups are a, b, c, d"),
        ({}, {"level": 2}, "level must lie strictly between 0 and 1"),
        ({}, {"permutations": 19}, "cannot reach level 0.00833"),
        ({"b": np.full((9, 2), np.nan)}, {}, r"group b holds 18 value\(s\)"),
        ({"b": np.ones((1, 2))}, {}, "at least two rows in group b, got 1"),
        ({"b": np.ones((9, 3))}, {}, "group b has 3 columns"),
    ],
)
def test_what_cannot_be_tested_is_refused(change, options, message):
    with pytest.raises(ValueError, match=message):
        group_tests({**groups(), **change}, strategy=SMALL, **options)


def test_a_pair_with_too_few_rows_is_named():
    with pytest.raises(ValueError, match="groups b and c: 3 v 3 rows can be divided in only 10"):
        group_tests({name: z[: 3 if name in "bc" else 25] for name, z in groups().items()})


def test_one_group_is_not_enough():
    with pytest.raises(ValueError, match="at least two groups, got 1"):
        group_tests([np.ones((5, 1))])


def test_names_that_are_equal_as_text_are_refused():
    rows = np.zeros((5, 1))
    with pytest.raises(ValueError, match="must differ as text"):
        group_tests({1: rows, "1": rows, "c": rows})


@pytest.mark.parametrize("given", [None, Fuse])
def test_strategy_must_be_an_object(given):
    with pytest.raises(TypeError, match=r"strategy must be an object such as Fuse\(\)"):
        run(strategy=given)
