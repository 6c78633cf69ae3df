"""Text from files as text for people: it may not drive a terminal or turn the order of letters.

Names and values come from whoever wrote the file. Escape sequences recolour or clear a screen,
and marks of direction show a name as what it is not.
"""

import re

# Controls, signs without width, marks of direction, halves of letters, tags. The joiners that
# scripts and emoji need stay.
_HIDDEN = re.compile(
    "[\0-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0001\U000e0020-\U000e007f]"
)
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def legible(text: str) -> str:
    r"""The text on one line, with its controls and marks of direction written out.

    Examples
    --------
    >>> legible("red\x1b[2J"), legible("two\nlines"), legible("größe → 5")
    ('red\\x1b[2J', 'two\\nlines', 'größe → 5')
    """
    return _HIDDEN.sub(_written_out, text)


def legible_lines(text: str) -> str:
    """The same for text whose line breaks are ours."""
    return "\n".join(map(legible, text.split("\n")))


def escape_json(text: str) -> str:
    r"""JSON with the same signs as ``\u`` escapes inside its strings; line breaks between stay.

    Examples
    --------
    >>> escape_json('{"a\u202eb": "\x7f"}')
    '{"a\\u202eb": "\\u007f"}'
    """
    return _HIDDEN.sub(lambda sign: sign[0] if sign[0] == "\n" else _units(sign[0]), text)


def _written_out(found: re.Match[str]) -> str:
    sign = found[0]
    if sign in _SHORT:
        return _SHORT[sign]
    code = ord(sign)
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 2**16 else f"\\U{code:08x}"
    )


def _units(sign: str) -> str:
    """Escapes of the UTF-16 units of a sign, as JSON knows no others."""
    if ord(sign) < 2**16:
        return f"\\u{ord(sign):04x}"
    data = sign.encode("utf-16-be")
    return "".join(f"\\u{data[i : i + 2].hex()}" for i in (0, 2))
