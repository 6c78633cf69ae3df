"""Commands as lines to paste into a shell."""

import shlex
from collections.abc import Sequence

from samelaw.show.legible import legible


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
    return f"$'{legible(bare)}'"
