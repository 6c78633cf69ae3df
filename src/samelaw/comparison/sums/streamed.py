"""Compare tables that are larger than memory: two passes over their rows, none of which is kept.

The first pass counts rows and draws some (`streaming.survey`); the second deals all of them to
random blocks and sums over each (`streaming.block_sums`). The verdict, columns, pairs, missing
values and effects come from all rows; rows that stand out, rules, patterns and the words on pairs
come from the rows drawn.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from samelaw.comparison.constants import MOST_PAIRS
from samelaw.comparison.examined import Looked, Operators, Told
from samelaw.comparison.pairs.tests import MOST_HELD
from samelaw.comparison.plan import RowReport, Stages, Streams, check_target
from samelaw.comparison.sums.block_sums import BlockSums, block_bytes
from samelaw.comparison.sums.displayed_rows import Request, shown, shown_pair, told_views
from samelaw.comparison.sums.joint import draw_features, joint_values
from samelaw.comparison.sums.memory_plan import StreamRoom
from samelaw.comparison.sums.reservoir import Survey, changed, drawn_from_pool, survey
from samelaw.comparison.sums.scheme import find_scheme
from samelaw.comparison.sums.tests import BlockTests, PairLooks
from samelaw.comparison.view_tests import steps_of
from samelaw.core.memory import Budget
from samelaw.core.types import Matrix
from samelaw.divergence.random_blocks import Deal
from samelaw.results.words import percent
from samelaw.tables.bins import Reading
from samelaw.tables.pairing.encode import Prepared, prepare
from samelaw.tables.pairing.pair import TablePair
from samelaw.tables.reading.arrow_batches import forget_pieces
from samelaw.tables.reading.batches import Batches
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.stepdown import StepDown
from samelaw.testing.permuting.units import Units
from samelaw.testing.problem import check_permutations
from samelaw.testing.sketch_backend import blocks_of

if TYPE_CHECKING:
    import pyarrow as pa

BLOCKS = 400
"""Of both tables, about."""


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
    budget: Budget,
    stages: Stages,
) -> StreamedTest:
    """Both passes, and all tests on what they leave."""
    room = StreamRoom(budget, max(len(one.names) for one in batches))
    look = stages.rows("read", sum(one.rows for one in batches))
    surveys = [survey(one, rng, room.drawn, look, room.reservoir) for one, rng in
               zip(batches, streams.rows.spawn(2), strict=True)]  # fmt: skip
    sizes = (surveys[0].rows, surveys[1].rows)
    stages.done("read")
    drawn = drawn_from_pool(surveys, room.drawn)
    pooled = request.pair(drawn, request.kinds)
    scheme = find_scheme(pooled, drawn)
    pair = shown_pair(request, pooled, surveys)
    if request.target is not None:
        check_target(request.target, pair)
    features = draw_features(scheme, streams.joint)
    most = room.blocks(block_bytes(scheme, features), permutations)
    block, counts = blocks_of(sizes, BLOCKS, most)
    order = streams.joint.permutation(sum(counts))
    units = Units.of_sums(Labels(_members(order, counts[0])), block)
    check_permutations(units.labels, level, "{:,} v {:,} rows".format(*sizes))
    looks = PairLooks(scheme.looks, sizes, room.pairs, units.count)
    if len(looks.pairs) > MOST_PAIRS:
        looks.pairs = []
    sums = BlockSums(scheme, features, units.count, looks.fine, looks.pairs)
    dealt = np.split(order, [counts[0]])
    seeds = streams.units.integers(2**32, size=2)
    report = stages.rows("pairs", sum(sizes))
    for side, (one, blocks) in enumerate(zip(surveys, dealt, strict=True)):
        deal = Deal(one.rows, block, int(seeds[side]))
        _add_all(sums, side, one, blocks, deal, room.rows_at_once, report)
    kept = [i for i in range(len(scheme.looks)) if _differs(sums, i)]
    tests = BlockTests(sums, looks, units, kept)
    observed = units.labels.observed[None]
    memberships = np.concatenate([observed, units.labels.draw(streams.permutations, permutations)])
    joint = joint_values(sums, units, memberships, streams.joint)
    held = min(MOST_HELD, room.tests)
    alone, paired = tests.alone(memberships), tests.paired(memberships, held, None)
    columns = shown(pair, scheme, tests)
    return StreamedTest(
        pair=_settled_pair(pair, sums, kept),
        columns=columns,
        units=units,
        memberships=memberships,
        steps=steps_of(joint, alone, paired, columns.views, level),
        route=_route(counts, block, sizes),
        sizes=sizes,
        operators=tests,
        told=told_views(tests, sizes),
        notes=_notes(pair.sizes, sizes, counts, block),
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
    at_once: int,
    report: RowReport,
) -> None:
    """The second pass over a table, whose blocks have these numbers."""
    looks, writings = sums.scheme.looks, sums.scheme.writings
    places, seen = np.append(blocks, -1), 0  # the last is for rows left over
    for piece in _slices(one.batches.pieces(), at_once):
        numbers = np.arange(seen, seen + piece.num_rows)
        seen += piece.num_rows
        if seen > one.rows:
            break
        table = one.batches.table(piece)
        readings = {name: Reading(table.raw[name], how) for name, how in writings.items()}
        own = [readings[look.column] for look in looks]
        sums.add(own, side, places[np.minimum(deal.blocks(numbers), len(blocks))])
        report(table.rows)
    forget_pieces()
    if seen != one.rows:
        raise changed(one.batches.source)


def _slices(pieces: Iterable["pa.Table"], at_once: int) -> Iterator["pa.Table"]:
    """At most so many rows of a piece at a time."""
    for piece in pieces:
        for start in range(0, piece.num_rows, at_once):
            yield piece.slice(start, at_once)


def _differs(sums: BlockSums, view: int) -> bool:
    """Whether the values of a view differ at all, so that there is something to compare."""
    pool = sums.all_bins[view].sum(axis=0)
    return int(np.count_nonzero(pool[:-1])) > 1


def _settled_pair(pair: TablePair, sums: BlockSums, kept: Sequence[int]) -> TablePair:
    """The pair of rows drawn, that knows what all rows showed."""
    compared = {sums.scheme.looks[i].column for i in kept}
    left = [
        out
        for out in pair.left_out
        if out.column not in compared or out.missingness_compared or out.in_part
    ]
    return replace(pair, left_out=left)


def _notes(
    drawn: tuple[int, int], sizes: tuple[int, int], counts: tuple[int, int], block: int
) -> tuple[str, ...]:
    left = sum(sizes) - block * sum(counts)
    over = f" but {left:,} that fill no block" if left else ""
    if left > 0.01 * sum(sizes):
        over += f" (the larger table has {sum(counts) - min(counts):,} blocks for "
        over += f"{min(counts)}: its other rows would make errors smaller by "
        over += f"{percent(_gained(sizes, counts))})"
    shown = (
        f"The tables were read piece by piece: verdict, p-values, effects, columns and missing "
        f"values rest on all {sizes[0]:,} v {sizes[1]:,} rows{over}, in bins; rows that stand out, "
        f"the "
        f"rule, patterns and words on pairs on {drawn[0]:,} v {drawn[1]:,} rows drawn at random."
    )
    return (shown, "Repeated rows and identifiers that both tables share were not looked for.")


def _gained(sizes: tuple[int, int], counts: tuple[int, int]) -> float:
    """By how much all rows of both tables would shorten standard errors, beside those in blocks."""
    with_all = sum(min(sizes) / size for size in sizes)
    return 1.0 - float(np.sqrt(with_all / sum(min(counts) / count for count in counts)))


def _route(counts: tuple[int, int], block: int, sizes: tuple[int, int]) -> str:
    left = sum(sizes) - block * sum(counts)
    over = f", {left:,} rows left over" if left else ""
    return f"streamed: sums over {counts[0]} v {counts[1]} random blocks of {block:,} rows{over}"
