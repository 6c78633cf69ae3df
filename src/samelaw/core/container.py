"""What is saved: arrays and JSON in one safetensors file, with a checksum.

Nothing is pickled, so opening a file runs no code; a file that is cut off, changed by a single bit,
of another kind or of another version is refused with a sentence that says so.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from samelaw.core.files import write_bytes
from samelaw.core.types import Matrix

MOST_BYTES = 4 * 2**30
"""A larger file is not opened: it would be read into memory as a whole."""

_KEY = "samelaw"


@dataclass(frozen=True, eq=False)
class Container:
    """Arrays by name, and facts that JSON knows.

    Examples
    --------
    >>> form = Format("a note of two numbers", 1)
    >>> content = form.pack(Container({"numbers": np.arange(2)}, {"unit": "m"}))
    >>> form.unpack(content, "the note").arrays["numbers"]
    array([0, 1])
    """

    arrays: Mapping[str, Matrix]
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Format:
    """A kind of container, such as "the state of a monitor", and its version."""

    kind: str
    version: int

    def pack(self, content: Container) -> bytes:
        """As bytes; the same content gives the same ones."""
        from safetensors.numpy import save

        arrays = {name: np.array(value, order="C") for name, value in content.arrays.items()}
        if wrong := [name for name, value in arrays.items() if value.dtype.kind not in "biuf"]:
            raise TypeError(f"arrays {wrong} are no numbers; save them as facts.")
        said = {"format": self._name, "version": self.version, "facts": dict(content.facts)}
        checksum = digest({**arrays, _KEY: json.dumps(said)})
        # One key: several would be written in any order.
        return bytes(save(arrays, {_KEY: json.dumps({**said, "sha256": checksum})}))

    def unpack(self, content: bytes, source: object) -> Container:
        """What was packed; ``source`` is where it came from, for errors."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            text = _header(content)
            said = dict(json.loads(text))
            arrays = load(content)
        except (SafetensorError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(
                f"{source} is no {self._name}, or is cut off: {str(error) or repr(error)}."
            ) from error
        if said.get("format") != self._name:
            raise ValueError(f"{source} is no {self._name}, but {said.get('format')!r}.")
        if (version := said.get("version")) != self.version:
            newer = isinstance(version, int) and version > self.version
            remedy = "update samelaw, or make it anew" if newer else "make it anew"
            raise ValueError(
                f"{source} is of version {version}; this samelaw reads version {self.version}: "
                f"{remedy}."
            )
        whole, checksum = json.dumps(said), said.pop("sha256", None)
        # JSON knows several spellings of one number: a bit turns 1e5 into 1E5.
        if whole != text or digest({**arrays, _KEY: json.dumps(said)}) != checksum:
            raise ValueError(f"{source} is damaged: its content does not match its checksum.")
        return Container(arrays, said["facts"])

    def write(self, path: str | PathLike[str], content: Container) -> None:
        """Write a file that is whole or absent, whenever the process dies."""
        write_bytes(path, self.pack(content))

    def read(self, path: str | PathLike[str], most: int | None = None) -> Container:
        """Read a file of this format of at most so many bytes; anything else is an error."""
        place, most = Path(path), MOST_BYTES if most is None else most
        size = place.stat().st_size
        if size > most:
            raise ValueError(f"{place} has {size:,} bytes; at most {most:,} are opened.")
        return self.unpack(place.read_bytes(), place)

    @property
    def _name(self) -> str:
        return f"samelaw {self.kind}"


def _header(content: bytes) -> str:
    """What is said beside the arrays: a text in the JSON at the beginning of the file."""
    length = int.from_bytes(content[:8], "little")
    if content[8:9] != b"{":
        raise ValueError("it does not begin as one")
    return str(json.loads(content[8 : 8 + length])["__metadata__"][_KEY])


def digest(named: Mapping[str, object]) -> str:
    """SHA-256 of arrays and of whatever else has a name, in the order of the names."""
    found = hashlib.sha256()
    for name, value in sorted(named.items()):
        if isinstance(value, np.ndarray):
            shape = f"{value.dtype.str} {value.shape}"
            found.update(f"{name} {shape} ".encode() + np.ascontiguousarray(value).tobytes())
        else:
            found.update(f"{name}  {value!r}".encode())
    return found.hexdigest()
