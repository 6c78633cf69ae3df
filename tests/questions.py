"""A plain question, of which tests change what they ask."""

from samelaw.tables.reading.formats import CsvFormat

ASKED = {
    "level": 0.05,
    "min_effect": 0.0,
    "same_within": None,
    "columns": None,
    "ignore": (),
    "kinds": None,
    "groups": None,
    "unique": False,
    "target": None,
    "permutations": None,
    "rng": 3,
    "memory": None,
    "progress": None,
    "allow_schema": False,
    "sample": None,
    "where": None,
    "text": CsvFormat(None, None, None),
}
