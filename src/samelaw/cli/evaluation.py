"""An evaluation of generators for people: in the terminal and as a page."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from samelaw.cli.terminal import in_colour, progress_bar, text_width
from samelaw.comparison.page.page import environment
from samelaw.core.files import write_text
from samelaw.core.version import own_version
from samelaw.extras.generators.evaluation import (
    CloserFinding,
    GeneratorEvaluation,
    evaluate_generators,
)
from samelaw.extras.generators.features import read_features
from samelaw.results.escape_controls import legible_lines
from samelaw.results.shell import shell_line
from samelaw.results.svg import TOKENS, figure_as_svg, room_for
from samelaw.results.text_columns import columns, wrapped
from samelaw.results.words import decimal, file_names, pvalue_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TITLES = {
    "rjsd": "RJSD (nats)",
    "frechet": "Fréchet distance",
    "kid": "KID",
    "vendi_real": "Vendi score, real",
    "vendi_generated": "Vendi score",
}
_BETTER = {"lower": "↓", "higher": "↑"}


def evaluate_files(
    real: str,
    generated: Sequence[str],
    level: float,
    permutations: int | None,
    seed: int | None,
    quiet: bool,
) -> GeneratorEvaluation:
    """Read features of real and generated items and compare them."""
    names = file_names([real, *generated])
    samples = {name: read_features(path) for name, path in zip(names[1:], generated, strict=True)}
    with progress_bar(quiet) as progress:
        return evaluate_generators(
            read_features(real),
            samples,
            name=names[0],
            level=level,
            permutations=permutations,
            rng=seed,
            progress=progress,
        )


def measures(found: GeneratorEvaluation) -> list[list[str]]:
    """A line for each measure: its name, which way is better, and every generator's value."""
    lines = []
    for place, row in enumerate(found.generators[0].scores.records()):
        name = str(row["measure"])
        cells = [list(one.scores.scores.values())[place] for one in found.generators]
        said = [f"{decimal(c.value)} ± {decimal(c.standard_error)}" for c in cells]
        better = "" if name == "vendi_real" else _BETTER[row["better"]]  # of no generator
        lines.append([_TITLES.get(name, name), better, *said])
    lines.append(["p, same law as real", "", *(decimal(one.pvalue) for one in found.generators)])
    return lines


def pair_words(pair: CloserFinding) -> str:
    """One pair as a sentence, the one with the lower RJSD first: "lower by" has one sign."""
    found = pair.comparison
    sign = 1.0 if found.difference > 0 else -1.0
    one, other = pair.names[::-1] if found.difference > 0 else pair.names
    low, high = (decimal(limit) for limit in sorted(sign * limit for limit in found.interval))
    by = f"lower by {decimal(abs(found.difference))} ({low} to {high})"
    if pair.closer is None:
        return f"{one} v {other}: neither is shown to be closer; RJSD of {one} {by}"
    return f"{one} is closer than {other}: RJSD {by}, {pvalue_words(pair.pvalue)}"


def answer(found: GeneratorEvaluation) -> str:
    """The sentence, the table and the pairs, as wide as the terminal."""
    width = text_width()
    parts = [
        columns(measures(found), width, _head(found)),
        columns([("•", pair_words(pair)) for pair in found.pairs], width),
    ]
    rest = "\n\n".join("\n".join(part) for part in parts if part)
    sentence = "\n".join(wrapped(found.sentence, width))
    style = "bold yellow" if found.reject else "bold green"
    return in_colour(legible_lines(sentence), legible_lines(rest), style)


def _head(found: GeneratorEvaluation) -> list[str]:
    return ["measure", "better", *(one.name for one in found.generators)]


def write_page(found: GeneratorEvaluation, path: Path, *, command: Sequence[str] = ()) -> None:
    """Write the evaluation as one HTML file."""
    content = {
        "found": found,
        "head": _head(found),
        "measures": measures(found),
        "pairs": [pair_words(pair) for pair in found.pairs],
        "figure": scores_figure(found, "RJSD of every generator from the real law"),
        "command": shell_line(command) if command else "",
        "version": own_version(),
    }
    write_text(path, environment().get_template("evaluation.html.j2").render(content))


def scores_figure(found: "GeneratorEvaluation", label: str) -> str:
    """RJSD of every generator, one below the other."""
    names = [one.name for one in found.generators]

    def draw(ax: "Axes") -> None:
        found.draw(ax, TOKENS)

    return figure_as_svg(
        draw, label, 60 + 22 * len(names), left=room_for(names), bottom=36, width=360
    )
