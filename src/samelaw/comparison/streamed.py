"""Compare tables that are larger than memory: two passes over their rows, none of which is kept.

The first pass counts rows and draws some (`comparison.survey`); the second deals all of them to
random blocks and sums over each (`comparison.block_sums`). The verdict, columns, pairs, missing
values and effects come from all rows; rows that stand out, rules, patterns and the words on pairs
come from the rows drawn.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import ClassVar

import numpy as np

from samelaw.comparison.binned_views import find_scheme
from samelaw.comparison.block_sums import BlockSums
from samelaw.comparison.block_tests import BlockTests, PairLooks, draw_features, joint_values
from samelaw.comparison.design import MOST_PAIRS, SHARES
from samelaw.comparison.drawn_rows import Request, shown, shown_pair, told_views
from samelaw.comparison.effect_operators import Operators
from samelaw.comparison.joint_test import Looked, Told
from samelaw.comparison.pair_tests import MOST_HELD
from samelaw.comparison.plan import Streams
from samelaw.comparison.survey import DRAWN, Survey, drawn_from_pool, survey
from samelaw.core.types import Matrix, Progress
from samelaw.data import frames
from samelaw.data.batches import Batches, open_batches, read_whole
from samelaw.data.bins import Reading
from samelaw.data.csv import CsvFormat
from samelaw.data.databases import is_address
from samelaw.data.encode import Prepared, prepare
from samelaw.data.pair import TablePair
from samelaw.estimate.dealing import Deal
from samelaw.twosample.budget import Budget
from samelaw.twosample.permutations import Labels
from samelaw.twosample.problem import check_permutations
from samelaw.twosample.sketch_backend import blocks_of
from samelaw.twosample.stepdown import StepDown, step_down
from samelaw.twosample.units import Units

_FOR_PAIRS = 0.25  # of the memory: counts of their cells


STREAMED_ABOVE = 500_000
"""Rows of both tables from which on they are read piece by piece: of fewer, all that is said of
them fits and takes half a minute."""

FEWEST = 20_000
"""Rows of the smaller table: with fewer, most rows of the other one add nothing."""

_SMALL = 2**22  # bytes of files that hold fewer rows than that in any format


def worth_streaming(
    sources: tuple[object, object],
    columns: Sequence[str] | None,
    text: CsvFormat,
    where: str | None = None,
) -> tuple[Batches, Batches] | None:
    """Both tables piece by piece, if they are large and can be read so."""
    if isinstance(columns, str) or all(map(_is_small, sources)):
        return None
    a, b = (open_batches(source, columns, text=text, where=where) for source in sources)
    if a is None or b is None or a.rows + b.rows < STREAMED_ABOVE or min(a.rows, b.rows) < FEWEST:
        return None
    return a, b


def _is_small(source: object) -> bool:
    """Whether a source has too few rows, as far as a look from outside tells."""
    if is_address(source):
        return False
    if not isinstance(source, str | PathLike):
        frame = frames.as_frame(source)
        return frame is None or len(frame) < FEWEST
    path = Path(source)
    try:
        return path.is_file() and path.stat().st_size < _SMALL
    except (OSError, ValueError):
        return True


def held(
    source: object, columns: Sequence[str] | None, text: CsvFormat, where: str | None
) -> object:
    """A table that `read_table` reads; of a database, or with a condition, the rows themselves."""
    if where is None and not is_address(source):
        return source
    found = open_batches(source, columns, text=text, where=where)
    if found is None:
        raise ValueError(
            f"where (--where) cannot be applied to {str(source)[:60]!r}; it takes files of CSV, "
            "Parquet, Arrow and JSON lines, folders of them, frames and databases."
        )
    return read_whole(found)


class Counter:
    """Progress over the rows of both passes."""

    def __init__(self, report: Progress | None, rows: float) -> None:
        self.report, self.total, self.done = report, rows, 0

    def __call__(self, rows: int) -> None:
        self.done += rows
        if self.report is not None:
            self.report(self.done, max(int(self.total), self.done))


@dataclass(frozen=True, eq=False)
class StreamedTest:
    """Everything tested on the same permutations of blocks whose rows are gone.

    Attributes
    ----------
    pair : TablePair
        Of the rows drawn.
    columns, units, memberships, steps, route, sizes, operators, told
        As of `JointTest`; the views of ``columns`` are of the rows drawn.
    """

    pair: TablePair
    columns: Looked
    units: Units
    memberships: Matrix
    steps: StepDown
    route: str
    sizes: tuple[int, int]
    operators: Operators
    told: Told
    notes: tuple[str, ...]
    complete: ClassVar[bool] = False

    @cached_property
    def prepared(self) -> Prepared:
        return prepare(self.pair)

    @cached_property
    def points(self) -> Matrix:
        return self.prepared.coordinates()


def streamed_test(
    batches: tuple[Batches, Batches],
    request: Request,
    *,
    level: float,
    permutations: int,
    streams: Streams,
    memory: float | None,
    progress: Progress | None,
) -> StreamedTest:
    """Both passes, and all tests on what they leave."""
    counter = Counter(progress, 2.0 * sum(one.rows for one in batches))
    surveys = [survey(one, rng, DRAWN, counter) for one, rng in
               zip(batches, streams.rows.spawn(2), strict=True)]  # fmt: skip
    sizes = (surveys[0].rows, surveys[1].rows)
    counter.total = 2 * sum(sizes)
    drawn = drawn_from_pool(surveys)
    pooled = request.pair(drawn, request.kinds)
    scheme = find_scheme(pooled, drawn)
    pair = shown_pair(request, pooled, surveys)
    block, counts = blocks_of(sizes)
    order = streams.joint.permutation(sum(counts))
    units = Units.of_sums(Labels(_members(order, counts[0])), block)
    check_permutations(units.labels, level, "{:,} v {:,} rows".format(*sizes))
    budget = Budget.of(memory)
    looks = PairLooks(scheme.looks, sizes, _FOR_PAIRS * budget.total, units.count)
    if len(looks.pairs) > MOST_PAIRS:
        looks.pairs = []
    sums = BlockSums(
        scheme, draw_features(scheme, streams.joint), units.count, looks.fine, looks.pairs
    )
    dealt = np.split(order, [counts[0]])
    seeds = streams.units.integers(2**32, size=2)
    for side, (one, blocks) in enumerate(zip(surveys, dealt, strict=True)):
        _add_all(sums, side, one, blocks, Deal(one.rows, block, int(seeds[side])), counter)
    kept = [i for i in range(len(scheme.looks)) if _differs(sums, i)]
    tests = BlockTests(sums, looks, units, kept)
    observed = units.labels.observed[None]
    memberships = np.concatenate([observed, units.labels.draw(streams.permutations, permutations)])
    joint = joint_values(sums, units, memberships, streams.joint)
    held = min(MOST_HELD, 0.25 * budget.total)
    families = (joint[None], tests.alone(memberships), tests.paired(memberships, held, None))
    return StreamedTest(
        pair=_settled_pair(pair, sums, kept, sizes),
        columns=shown(pair, scheme, tests),
        units=units,
        memberships=memberships,
        steps=step_down(families, level, SHARES),
        route=_route(counts, block, sizes),
        sizes=sizes,
        operators=tests,
        told=told_views(tests, sizes),
        notes=_notes(pair.sizes, sizes, sum(sizes) - block * sum(counts)),
    )


def _members(order: Matrix, first: int) -> Matrix:
    """Which of the units are blocks of A: those that come first in the order."""
    member = np.zeros(len(order), dtype=bool)
    member[order[:first]] = True
    return member


def _add_all(
    sums: BlockSums,
    side: int,
    one: Survey,
    blocks: Matrix,
    deal: Deal,
    report: Callable[[int], None],
) -> None:
    """The second pass over a table, whose blocks have these numbers."""
    looks, commas = sums.scheme.looks, sums.scheme.commas
    places, seen = np.append(blocks, -1), 0  # the last is for rows left over
    for piece in one.batches.pieces():
        numbers = np.arange(seen, seen + piece.num_rows)
        seen += piece.num_rows
        if seen > one.rows:
            break
        if piece.num_rows:
            table = one.batches.table(piece)
            readings = {name: Reading(table.raw[name], comma) for name, comma in commas.items()}
            own = [readings[look.binned.column] for look in looks]
            sums.add(own, side, places[np.minimum(deal.blocks(numbers), len(blocks))])
            report(table.rows)
    if seen != one.rows:
        raise ValueError(f"{one.batches.source} changed while it was read; wait until it is done.")


def _differs(sums: BlockSums, view: int) -> bool:
    """Whether the values of a view differ at all, so that there is something to compare."""
    pool = sums.all_bins[view].sum(axis=0)
    return int(np.count_nonzero(pool[:-1])) > 1


def _settled_pair(
    pair: TablePair, sums: BlockSums, kept: Sequence[int], sizes: tuple[int, int]
) -> TablePair:
    """The pair of rows drawn, that knows how many there are and what all rows showed."""
    compared = {sums.scheme.looks[i].binned.column for i in kept}
    left = [out for out in pair.left_out if out.column not in compared or out.missingness_compared]
    return replace(pair, left_out=left, all_sizes=sizes)


def _notes(drawn: tuple[int, int], sizes: tuple[int, int], left: int) -> tuple[str, ...]:
    over = f" but {left:,} that fill no block" if left else ""
    shown = (
        f"The tables were read piece by piece: verdict, p-values, effects, columns and missing "
        f"values rest on all {sizes[0]:,} v {sizes[1]:,} rows{over}, in bins; rows that stand out, "
        f"the "
        f"rule, patterns and words on pairs on {drawn[0]:,} v {drawn[1]:,} rows drawn at random."
    )
    return (shown, "Repeated rows and identifiers that both tables share were not looked for.")


def _route(counts: tuple[int, int], block: int, sizes: tuple[int, int]) -> str:
    left = sum(sizes) - block * sum(counts)
    over = f", {left:,} rows left over" if left else ""
    return f"streamed: sums over {counts[0]} v {counts[1]} random blocks of {block:,} rows{over}"
