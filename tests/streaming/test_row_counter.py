"""Progress over several passes: even, and never beyond the end."""

from samelaw.streaming.row_counter import RowCounter


def test_passes_add_up_to_all_rows():
    seen = []
    counter = RowCounter(lambda done, total: seen.append((done, total)), 1_000)
    for _ in range(4):
        counter.over(0.1, 1_000)(250)
    assert counter.rest == 0.9
    last = counter.over(counter.rest, 1_000)
    last(600)
    last(500)  # more rows than were told
    assert seen[-2:] == [(640, 1_000), (1_000, 1_000)]


def test_nothing_is_said_where_nobody_knows_how_many_rows_there_are():
    counter = RowCounter(lambda done, total: 1 / 0, float("inf"))
    counter.over(0.5, float("inf"))(10)
