"""The outcome of many tests against one control as a table."""

import samelaw
from many_groups import FEW, table
from samelaw import testing as strategies
from samelaw.extras.groups import control_tests
from samelaw.testing import Sequential


def test_records_have_one_row_per_group_and_no_control():
    found = control_tests(table(4, shifted=(1,)), "control", strategy=FEW, rng=0)
    rows = found.records()
    assert [row["group"] for row in rows] == ["g0", "g1", "g2", "g3"]
    assert [row["differ"] for row in rows] == [False, True, False, False]
    assert rows[1]["pvalue"] == found.pvalues[1]
    assert found.to_dict()["tests"][1]["tested"] == 21
    assert str(found).count("\n") == 4


def test_a_result_says_how_to_run_it_again():
    groups = table(4, shifted=(1,))
    options = {"permutations": Sequential(5, 199), "dependent": True, "rng": 3}
    found = control_tests(groups, "control", strategy=FEW, **options)
    assert found.to_dict()["settings"] == {
        "strategy": repr(FEW),
        "permutations": "Sequential(exceedances=5, most=199)",
        "dependent": True,
    }
    told = eval(found.settings["strategy"], vars(samelaw) | vars(strategies))
    again = control_tests(groups, found.control, strategy=told, **options)
    assert told == FEW
    assert (again.pvalues == found.pvalues).all()
