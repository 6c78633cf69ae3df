from dataclasses import replace

import numpy as np

from monitors import Litter, normal
from samelaw.monitor.drift_reading import ChangeTerm


def reading():
    return Litter(rows=600).first.update(normal(np.random.default_rng(0), 20))


def test_it_says_what_it_is_in_a_sentence():
    quiet = reading()
    assert quiet.sentence == "No alarm after 20 rows."
    used = replace(quiet, rows_left=0, reserve=False, rows=900, unjudged=300)
    assert "pairing rows are used up: 300 of 900 rows were not judged" in used.sentence
    loud = replace(quiet, alarm=True, since=1500, columns=("a", "b"))
    assert (
        loud.sentence == "The law of the stream has changed since about row 1,500, most in a and b."
    )
    assert replace(loud, since=None, columns=()).sentence == "The law of the stream has changed."


def test_it_prints_evidence_promise_changes_and_how_long_rows_last():
    term = ChangeTerm(("a", "b"), "going together", -0.4, 0.75)
    found = str(replace(reading(), changes=(term,)))
    assert "alarm at 40" in found
    assert "at most 0.05" in found
    assert "pairing rows last for" in found
    assert "a and b: going together -0.40 sd (75 % of the change)" in found


def test_reasons_that_cannot_be_are_not_given():
    quiet = replace(reading(), unjudged=7)
    assert "7 of 20 rows were not judged: they were put away to pair with later ones" in str(quiet)
    assert "those after an alarm" in str(replace(quiet, alarm=True))
    assert "for a new reference" in str(replace(quiet, run=2))


def test_how_long_the_pairing_rows_last_is_said_with_and_without_a_reserve():
    left = replace(reading(), rows_left=7, reserve=False)
    assert left.lasting == "7 more rows"
    assert replace(left, rows_left=0).lasting == "0 more rows"
    assert replace(left, reserve=True).lasting.startswith("7 more rows, then rows of the stream")
    taken = "any number of rows, as rows of the stream take their place"
    assert {replace(left, rows_left=n, reserve=True).lasting for n in (0, None)} == {taken}
