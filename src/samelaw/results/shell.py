"""Commands as lines to paste into a shell."""

import shlex
from collections.abc import Sequence

from samelaw.results.escape_controls import legible


def shell_line(words: Sequence[str]) -> str:
    r"""A command to paste; words with controls in the quotes that bash and zsh have for them.

    Examples
    --------
    >>> print(shell_line(["samelaw", "a b.csv", "c\x1b[2J.csv"]))
    samelaw 'a b.csv' $'c\x1b[2J.csv'
    """
    return " ".join(map(_shell_word, words))


def _shell_word(word: str) -> str:
    if legible(word) == word:
        return shlex.quote(word)
    bare = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{''.join(map(_shell_sign, bare))}'"


def _shell_sign(sign: str) -> str:
    r"""A sign, or its number; \x is a byte, so from 128 on only for what was never a sign."""
    if legible(sign) == sign:
        return sign
    number = ord(sign)
    if 0xDC80 <= number <= 0xDCFF:  # a byte in the name of a file that is not UTF-8
        return f"\\x{number - 0xDC00:02x}"
    return f"\\x{number:02x}" if number < 0x80 else f"\\U{number:08x}"
