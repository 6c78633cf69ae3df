"""What the statement returns, one line per block, and the test on it alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from samelaw.core.types import Array, Matrix, Seed
from samelaw.divergence.sketch import MeanSketch, Sketch
from samelaw.kernels.features import FeatureMap
from samelaw.tables.columns.raw_column import Form
from samelaw.tables.reading.read import read_table
from samelaw.testing.result import TestResult
from samelaw.testing.sketch_test import sketch_test

Values: TypeAlias = Sequence[object] | Matrix
_CODE = "waves"
_NEEDED = (_CODE, "side", "block_number", "total", "rows_in_block")


@dataclass(frozen=True)
class EvaluatedFeatures(FeatureMap):
    """A feature map known by its name: its features were evaluated in a database."""

    name: str
    count: int

    @property
    def size(self) -> int:
        return self.count

    def features(self, x: Array) -> Array:
        raise TypeError(f"the features {self.name} exist in a database only; sketch rows there.")


@dataclass(frozen=True, eq=False)
class BlockSums:
    """The sums over the blocks of one table.

    Parameters
    ----------
    means : tuple of MeanSketch
        Of features of κ², one for each bandwidth.
    sketch : Sketch
    rows : int
        Of the table without those that prepared the statement; some are left over.
    """

    means: tuple[MeanSketch, ...]
    sketch: Sketch
    rows: int


def read_blocks(file: str) -> list[BlockSums]:
    """The tables in a file that holds what the statement returned: CSV, Parquet, JSON lines."""
    raw = read_table(file).raw
    code = next((name for name in raw if name.lower() == _CODE), None)
    numbers: dict[str, Values] = {
        name: one.numbers(Form.NUMBER) for name, one in raw.items() if name != code
    }
    if code is None:
        return sides_of(numbers)
    codes, labels = raw[code].words()
    return sides_of({**numbers, code: [labels[i] for i in codes]})


def sides_of(columns: Mapping[str, Values]) -> list[BlockSums]:
    """The tables in the columns of a result, in their order.

    Parameters
    ----------
    columns : {name: values}
        As the database names them; capitals do not matter.

    Examples
    --------
    >>> import duckdb
    >>> from samelaw.extras.sql import sql_statement
    >>> database = duckdb.connect()
    >>> database.execute("CREATE TABLE t AS SELECT RANDOM() AS x FROM RANGE(90)")
    <...>
    >>> statement = sql_statement(["t"], {"x": np.arange(9.5)}, dialect="duckdb", block=20)
    >>> (side,) = sides_of(database.sql(statement).fetchnumpy())
    >>> side.sketch.totals.shape, side.sketch.left_over
    ((4, 48, 48), 10)
    """
    named = {name.lower(): values for name, values in columns.items()}
    if absent := [name for name in _NEEDED if name not in named]:
        raise ValueError(
            f"the result has no column {', '.join(absent)}; expected all columns of the statement "
            "that `samelaw sql` writes."
        )
    side = np.asarray(named["side"], dtype=np.int64)
    return [_side(named, np.flatnonzero(side == one)) for one in np.unique(side)]


def _side(columns: Mapping[str, Values], rows: Matrix) -> BlockSums:
    order = rows[np.argsort(_numbers(columns["block_number"], rows), kind="stable")]
    blocks = _numbers(columns["block_number"], order)
    sizes, codes = _numbers(columns["rows_in_block"], order), {columns["waves"][i] for i in order}
    total = int(_numbers(columns["total"], order)[0])
    size = int(sizes[0])
    if not (np.array_equal(blocks, np.arange(total // size)) and (sizes == size).all()):
        raise ValueError(
            f"{len(blocks)} blocks came of {total // size} of {size} rows, with {sizes.min():.0f} "
            f"to {sizes.max():.0f} rows; a line was lost or came twice."
        )
    means = tuple(_means(columns, order, size, i) for i in range(_sets(columns)))
    lost = total - size * len(blocks)
    return BlockSums(means, _sketch(columns, order, size, lost, str(*codes)), total)


def _sets(columns: Mapping[str, object]) -> int:
    return len({name.partition("_")[0] for name in columns if name.startswith("m")})


def _means(columns: Mapping[str, Values], order: Matrix, size: int, place: int) -> MeanSketch:
    names = [name for name in columns if name.startswith(f"m{place}_")]
    found = np.stack([_numbers(columns[name], order) for name in names], axis=1)
    return MeanSketch(found / (size * (len(names) / 2) ** 0.5))


def _sketch(
    columns: Mapping[str, Values], order: Matrix, size: int, lost: int, code: str
) -> Sketch:
    names = [name for name in columns if name.startswith("c") and name[1:2].isdigit()]
    count = int((2 * len(names) + 0.25) ** 0.5)  # names fill a triangle with its diagonal
    totals: Matrix = np.empty((len(order), count, count))
    for name in names:
        first, second = map(int, name[1:].split("_"))
        totals[:, first, second] = totals[:, second, first] = _numbers(columns[name], order)
    return Sketch(EvaluatedFeatures(code, count), (totals / (count / 2),), size, lost=lost)


def _numbers(values: Values, rows: Matrix) -> Matrix:
    return np.asarray(values, dtype=np.float64)[rows]


def blocks_test(
    x: BlockSums,
    y: BlockSums,
    *,
    held_out: bool = False,
    level: float = 0.05,
    permutations: int | None = None,
    rng: Seed = None,
) -> TestResult:
    """Test whether two tables follow the same law, from sums over their blocks.

    Rows were dealt to blocks at random, so the p-value is exact if those that prepared the
    statement are in none; hardly another one if they are a few of many.

    Parameters
    ----------
    x, y : BlockSums
        Of the same waves and blocks of one size; of one database or of two.
    held_out : bool
        Whether the rows that prepared the statement are in no block, so that nothing is left open.
    level, permutations, rng
        As `two_sample_test` takes them.

    Examples
    --------
    >>> import duckdb
    >>> from samelaw.extras.sql import sql_statement
    >>> made = "CREATE TABLE {} AS SELECT RANDOM() + {} AS x FROM RANGE(500)"
    >>> database = duckdb.connect().execute(made.format("a", 0)).execute(made.format("b", 1))
    >>> statement = sql_statement(["a", "b"], {"x": np.linspace(0, 2, 50)}, dialect="duckdb")
    >>> blocks_test(*sides_of(database.sql(statement).fetchnumpy()), rng=0).reject
    True
    """
    found = sketch_test(
        x.sketch,
        y.sketch,
        means=tuple(zip(x.means, y.means, strict=True)),
        level=level,
        permutations=permutations,
        rng=rng,
    )
    condition = "" if held_out else "; exact if the rows of the sample are in neither table"
    return replace(
        found,
        method=f"sums inside a database: {found.method}",
        calibration=f"{found.calibration}{condition}",
    )
