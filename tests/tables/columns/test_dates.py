import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.tables.columns.dates import orders, seconds

NAMED = ["%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d %B %Y", "%b %d, %Y", "%d-%b-%Y", "%A, %d %B %Y"]


@pytest.mark.parametrize("written", NAMED)
@given(moment=st.datetimes(dt.datetime(1000, 1, 1), dt.datetime(9999, 12, 30)))
def test_dates_round_trip(written, moment):
    moment = moment.replace(second=0, microsecond=0)
    day = dt.datetime(moment.year, moment.month, moment.day)
    since = (day - dt.datetime(1970, 1, 1)).total_seconds()
    assert seconds(day.strftime(written)) == since
    assert seconds(moment.strftime(f"{written} %H:%M")) == since + (moment - day).total_seconds()


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("24.09.24", "2024-09-24"),
        ("24.09.69", "1969-09-24"),
        ("24.09.68", "2068-09-24"),
        ("18-MAR-24", "2024-03-18"),
        ("Sept. 3, 2024", "2024-09-03"),
        ("3rd May 2024", "2024-05-03"),
        ("2024/1/2 3:04:05.5", "2024-01-02T03:04:05.500"),
        ("Wed, 11 Dec 2024 05:08:00 +0100", "2024-12-11T04:08:00"),
        ("2024-01-02 03:04:05.678+00", "2024-01-02T03:04:05.678"),  # as Postgres writes it
        ("2024-01-02 03:04:05-05", "2024-01-02T08:04:05"),
        ("2024/01/02 03:04+0530", "2024-01-01T21:34"),
        ("2024/01/02 03:04+05", "2024-01-01T22:04"),
        ("Wed, 11 Dec 2024 05:08:00 GMT", "2024-12-11T05:08:00"),
        ("May 1, 2024 12:05 AM", "2024-05-01T00:05"),
        ("May 1, 2024 12:05 pm", "2024-05-01T12:05"),
    ],
)
def test_ways_to_write_a_date(text, iso):
    assert seconds(text) == np.datetime64(iso, "ms").astype(int) / 1e3


@pytest.mark.parametrize(
    "text",
    [
        *("30.02.2024", "13.13.2024", "3.11.12", "10.0.0.1", "2024/13/01", "2024/01-02"),
        *("18 Foo 2024", "May 2024", "May", "Monday", "2024", "1/2", "31 Jun 2024"),
        *("May 1, 2024 13:05 PM", "2024/01/02 24:00", "25-03-01", "1/2/2024/5", "٢.٣.2024"),
    ],
)
def test_no_date(text):
    for order in (None, True, False):
        assert np.isnan(seconds(text, order))
    assert orders(text) == frozenset()


@given(st.dates(dt.date(1969, 1, 1), dt.date(2068, 12, 31)), st.sampled_from("/-"))
def test_order_of_day_and_month(day, sign):
    since = (day - dt.date(1970, 1, 1)).total_seconds()
    for first, written in ((True, f"%d{sign}%m{sign}%Y"), (False, f"%m{sign}%d{sign}%Y")):
        text = day.strftime(written)
        assert seconds(text, first) == since
        assert np.isnan(seconds(text))
        assert orders(text) == ({first} if day.day > 12 else {True, False})
    assert seconds(day.strftime("%m/%d/%y"), day_first=False) == since
