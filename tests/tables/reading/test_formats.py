import pytest

from samelaw.tables.reading.formats import CsvFormat


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sep": "::"}, "expected one sign"),
        ({"sep": '"'}, "a quote or a line end"),
        ({"encoding": "klingon"}, "one that Python knows"),
        ({"skip": -1}, r"skip \(--skip\) must be a whole number of at least 0, got -1"),
    ],
)
def test_what_cannot_be_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        CsvFormat(**given)
