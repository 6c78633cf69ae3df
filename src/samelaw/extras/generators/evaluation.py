"""Generators against real features: measures, whether each can be told apart, which is closer.

What `samelaw evaluate` answers; `samelaw.extras.generators` has the parts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from samelaw.core.checks import as_progress, as_seed, as_share, shown
from samelaw.core.types import Progress, Sample, Seed
from samelaw.extras.generators.measures import GeneratorScores, as_features
from samelaw.extras.generators.paired import GeneratorComparison, compare_generators
from samelaw.extras.generators.table import generator_scores
from samelaw.results.plots import Palette, draw_scores
from samelaw.results.result import TableResult, plain
from samelaw.results.words import in_a_row
from samelaw.testing.api import two_sample_test
from samelaw.testing.permuting.stepdown import holm

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class GeneratorFinding:
    """One generator against the real rows.

    Parameters
    ----------
    name : str
    scores : GeneratorScores
    pvalue : float
        Of "it follows the real law", from a permutation test.
    told_apart : bool
        Whether that is at most the level.
    """

    name: str
    scores: GeneratorScores
    pvalue: float
    told_apart: bool


@dataclass(frozen=True)
class CloserFinding:
    """Two generators against each other.

    Parameters
    ----------
    names : (str, str)
    comparison : GeneratorComparison
    pvalue : float
        Of "both are equally far from the real law", adjusted for the number of pairs (Holm).
    closer : str or None
        The name of the one that is closer at the level.
    """

    names: tuple[str, str]
    comparison: GeneratorComparison
    pvalue: float
    closer: str | None


@dataclass(frozen=True)
class GeneratorEvaluation(TableResult):
    """How good generators are: a row for each of them and every measure.

    Attributes
    ----------
    real : str
    rows : int
        Of the real features.
    generators : tuple of GeneratorFinding
        The closest first, by RJSD.
    pairs : tuple of CloserFinding
        All pairs of them.
    level : float
    seed : int or None
    """

    kind: ClassVar[str] = "generator_evaluation"

    real: str
    rows: int
    generators: tuple[GeneratorFinding, ...] = field(repr=False)
    pairs: tuple[CloserFinding, ...] = field(repr=False)
    level: float
    seed: int | None

    @property
    def reject(self) -> bool:
        """Whether any generator was told apart from the real rows."""
        return any(found.told_apart for found in self.generators)

    @property
    def sentence(self) -> str:
        """The answer in a few words."""
        apart = [f.name for f in self.generators if f.told_apart]
        alike = [f.name for f in self.generators if not f.told_apart]
        said = []
        if len(self.generators) > 1:
            said.append(self._closest())
        if apart:
            said.append(f"Told apart from {self.real}: {in_a_row(apart, 8)}.")
        if alike:
            said.append(f"Not told apart from {self.real}: {in_a_row(alike, 8)}.")
        return " ".join(said)

    def _closest(self) -> str:
        best = self.generators[0].name
        beaten = {
            name
            for pair in self.pairs
            if pair.closer == best
            for name in pair.names
            if name != best
        }
        if len(beaten) == len(self.generators) - 1:
            return f"{best} is closest to {self.real}."
        rest = [f.name for f in self.generators[1:] if f.name not in beaten]
        return f"{best} has the least RJSD, but is not shown to be closer than {in_a_row(rest, 8)}."

    def records(self) -> list[dict[str, Any]]:
        """One row for each generator and measure."""
        return [
            {"generator": found.name, **row}
            for found in self.generators
            for row in found.scores.records()
        ]

    def _content(self) -> dict[str, Any]:
        return {
            "real": self.real,
            "rows": self.rows,
            "level": self.level,
            "seed": self.seed,
            "reject": self.reject,
            "generators": [
                {
                    "name": found.name,
                    "rows": found.scores.rows[1],
                    "pvalue": plain(found.pvalue),
                    "told_apart": found.told_apart,
                    "scores": plain(found.scores.records()),
                }
                for found in self.generators
            ],
            "pairs": [
                {
                    "names": list(pair.names),
                    "difference": plain(pair.comparison.difference),
                    "interval": plain(pair.comparison.interval),
                    "pvalue": plain(pair.pvalue),
                    "closer": pair.closer,
                }
                for pair in self.pairs
            ],
        }

    def draw(self, ax: "Axes", palette: Palette | None = None) -> None:
        """RJSD of every generator with two standard errors."""
        found = [f.scores["rjsd"] for f in self.generators]
        names = [f.name for f in self.generators]
        draw_scores(ax, names, [s.value for s in found], [s.standard_error for s in found], palette)
        ax.set_xlabel("RJSD from the real law (nats)")


def evaluate_generators(
    real: Sample,
    generated: Mapping[str, Sample],
    *,
    name: str = "real",
    level: float = 0.05,
    permutations: int | None = None,
    rng: Seed = None,
    progress: Progress | bool | None = None,
) -> GeneratorEvaluation:
    """Measures of generators, whether each can be told from real rows, and which one is closer.

    Parameters
    ----------
    real : array (n, d)
        Features of real items, of any extractor.
    generated : mapping of str to array (m, d)
        Those of each generator, by name.
    name : str
        What to call the real rows.
    level : float
        Of the tests. Each generator is tested against the real rows by itself; the p-values of
        pairs are adjusted for their number.
    permutations : int, optional
        Of each test.
    rng : int, Generator or None
        Seed of the permutations.
    progress : callable(done, total) or True, optional

    Returns
    -------
    GeneratorEvaluation

    See Also
    --------
    generator_scores, compare_generators : the parts.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> real, old, new = (s * rng.normal(size=(300, 3)) for s in (1.0, 1.6, 1.1))
    >>> found = evaluate_generators(real, {"old": old, "new": new}, rng=0)
    >>> found.generators[0].name, found.pairs[0].closer
    ('new', 'new')
    """
    if not isinstance(generated, Mapping):
        raise TypeError(
            f'generated must map names to samples, as in {{"mine": rows}}, got {shown(generated)}.'
        )
    if not generated:
        raise ValueError("there is no generator to evaluate: give at least one, by its name.")
    generated = {str(own): sample for own, sample in generated.items()}
    generator, seed = as_seed(rng)
    as_share("level", level)
    arrays = as_features(least=3, real=real, **_numbered(generated))
    x, samples = arrays[0], dict(zip(generated, arrays[1:], strict=True))
    show = as_progress(progress)
    pairs = list(combinations(samples, 2))
    found = []
    for done, (own, rows) in enumerate(samples.items(), start=1):
        test = two_sample_test(x, rows, level=level, permutations=permutations, rng=generator)
        scores = generator_scores(x, rows)
        found.append(GeneratorFinding(own, scores, test.pvalue, test.reject))
        if show is not None:
            show(done, len(samples))
    compared = [compare_generators(x, samples[a], samples[b]) for a, b in pairs]
    found.sort(key=lambda finding: finding.scores["rjsd"].value)
    return GeneratorEvaluation(
        name, len(x), tuple(found), _judged(pairs, compared, level), level, seed
    )


def _numbered(generated: Mapping[str, Sample]) -> dict[str, Sample]:
    """Names that errors can repeat and that are no other argument."""
    return {f"generated[{name!r}]": sample for name, sample in generated.items()}


def _judged(
    pairs: Sequence[tuple[str, str]], compared: Sequence[GeneratorComparison], level: float
) -> tuple[CloserFinding, ...]:
    adjusted = holm(np.array([one.pvalue for one in compared]))
    return tuple(
        CloserFinding(
            names,
            one,
            float(pvalue),
            names[int(one.difference > 0)] if pvalue <= level else None,
        )
        for names, one, pvalue in zip(pairs, compared, adjusted, strict=True)
    )
