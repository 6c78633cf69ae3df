"""What a user knows of how a file is written."""

import codecs
from dataclasses import dataclass

from samelaw.core.checks import as_count

LINES = 20
"""First lines that are looked at: they must agree on the separator, and one of them has names."""


@dataclass(frozen=True)
class CsvFormat:
    """What is known of CSV files and sheets of Excel; None is found by looking.

    Parameters
    ----------
    sep : str, optional
        The sign between two values.
    header : bool, optional
        Whether the first line holds names.
    encoding : str, optional
        As Python names it: "cp1252", "utf-16-le".
    skip : int, optional
        Lines above the names, blank ones included; of Excel rows.
    sheet : str, optional
        Of Excel files; the first by default.
    """

    sep: str | None = None
    header: bool | None = None
    encoding: str | None = None
    skip: int | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        if self.skip is not None:
            as_count("skip (--skip)", self.skip, 0)
        if self.sep is not None and (len(self.sep) != 1 or not self.sep.isascii()):
            raise ValueError(
                f"sep (--sep) is {self.sep!r}; expected one sign, such as ';' or a tab."
            )
        if self.sep is not None and self.sep in '"\r\n':
            raise ValueError("sep (--sep) is a quote or a line end, which mean something else.")
        if self.encoding is not None:
            self._check_encoding(self.encoding)

    def _check_encoding(self, encoding: str) -> None:
        try:
            text = codecs.lookup(encoding)._is_text_encoding
        except LookupError:
            text = False
        if not text:
            raise ValueError(
                f"encoding (--encoding) is {encoding!r}; expected one that Python knows, such as "
                "'utf-8', 'cp1252' or 'utf-16'."
            )


FOUND = CsvFormat()
"""Everything is found by looking."""
