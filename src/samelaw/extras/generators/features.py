"""Features of an extractor as one array: NumPy, safetensors, Parquet or Arrow, or a folder."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from samelaw.core.free_memory import room, too_large
from samelaw.core.types import Matrix
from samelaw.tables.reading import binary
from samelaw.tables.reading.folders import files_below
from samelaw.tables.reading.opening import arrow, forbidden, reading, unreadable

if TYPE_CHECKING:
    import pyarrow as pa

_NUMPY = (".npy", ".npz")
_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather", ".ipc")
FEATURE_FILES = (*_NUMPY, ".safetensors", *_PARQUET, *_ARROW)


def read_features(source: str | PathLike[str]) -> Matrix:
    """Rows (n, d) of features: of a file, or of all files of a folder in the order of their names.

    Trailing axes are flattened; columns of a table are numbers, or lists of them (embeddings).

    Parameters
    ----------
    source : path
        A .npy, .npz or .safetensors file that holds one array, a table (.parquet, .arrow,
        .feather), or a folder of such files.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in "ab":
    ...         np.save(f"{folder}/{part}.npy", np.zeros((3, 2)))
    ...     read_features(folder).shape
    (6, 2)
    """
    path = Path(source)
    files = _files_of(path) if path.is_dir() else [path]
    parts = [_read(file) for file in files]
    widths = {part.shape[1] for part in parts}
    if len(widths) > 1:
        raise ValueError(f"the files of {path} have {sorted(widths)} columns; expected one width.")
    return np.concatenate(parts)


def _files_of(folder: Path) -> list[Path]:
    try:
        below = files_below(folder)
    except PermissionError as error:
        raise forbidden(folder) from error
    found = [p for p in below if p.suffix.lower() in FEATURE_FILES and not p.name.startswith(".")]
    if not found:
        raise FileNotFoundError(f"{folder} holds no file of features: {', '.join(FEATURE_FILES)}.")
    return found


def _read(path: Path) -> Matrix:
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; check the path.")
    ending = path.suffix.lower()
    if ending == ".safetensors":
        return _as_rows(path, _one_of(path, _tensors(path)))
    if ending in _NUMPY:
        found = binary.read_numpy(path)
        return _as_rows(path, _one_of(path, found) if isinstance(found, dict) else found)
    if ending in _PARQUET:
        return _of_table(path, binary.read_parquet(path).table)
    if ending in _ARROW:
        return _of_table(path, binary.read_arrow(path).table)
    known = ", ".join(FEATURE_FILES)
    raise ValueError(f"{path} ends in {ending or 'nothing'!r}; features are read from {known}.")


def _tensors(path: Path) -> dict[str, Matrix]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if path.stat().st_size > room():
        raise too_large(str(path))
    with reading(path, "safetensors"):
        try:
            return dict(load_file(path))
        except SafetensorError as error:
            raise unreadable(path, "safetensors", error) from error


def _one_of(path: Path, arrays: dict[str, Matrix]) -> Matrix:
    if len(arrays) != 1:
        names = ", ".join(sorted(arrays)) or "none"
        raise ValueError(f"{path} holds {len(arrays)} arrays ({names}); expected one: (rows, …).")
    return next(iter(arrays.values()))


def _as_rows(path: Path, array: Matrix) -> Matrix:
    if array.ndim == 0 or array.dtype.kind not in "biuf" or not len(array):
        raise ValueError(
            f"{path} holds an array of shape {array.shape} and type {array.dtype}; expected "
            "numbers, one row per item."
        )
    return array.reshape(len(array), -1).astype(np.float64, copy=False)


def _of_table(path: Path, table: "pa.Table") -> Matrix:
    """Columns of numbers side by side, lists of numbers (embeddings) spread out."""
    columns = [_numbers(path, name, table.column(name)) for name in table.column_names]
    return _as_rows(path, np.column_stack(columns))


def _numbers(path: Path, name: str, column: "pa.ChunkedArray") -> Matrix:
    kinds = arrow("types")
    whole = column.combine_chunks()
    try:
        if kinds.is_list(whole.type) or kinds.is_large_list(whole.type):
            return np.stack([np.asarray(row, dtype=np.float64) for row in whole.to_pylist()])
        if kinds.is_fixed_size_list(whole.type):
            return np.asarray(whole.flatten(), dtype=np.float64).reshape(len(whole), -1)
        return np.asarray(whole, dtype=np.float64)[:, None]
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{path}: the column {name} is not made of numbers; features are numbers, or lists of "
            "as many numbers in every row."
        ) from error
