"""The outcome of many tests against one control as a table."""

from many_groups import FEW, table
from samelaw.many_groups import control_tests


def test_records_have_one_row_per_group_and_no_control():
    found = control_tests(table(4, shifted=(1,)), "control", strategy=FEW, rng=0)
    rows = found.records()
    assert [row["group"] for row in rows] == ["g0", "g1", "g2", "g3"]
    assert [row["differ"] for row in rows] == [False, True, False, False]
    assert rows[1]["pvalue"] == found.pvalues[1]
    assert found.to_dict()["tests"][1]["tested"] == 21
    assert str(found).count("\n") == 4
