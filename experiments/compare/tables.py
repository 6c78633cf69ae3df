"""Tables of a web shop, twelve mixed columns, and eight changes whose whereabouts are known.

    time      order time, four weeks; two peaks a day, a quiet weekend
    amount    skewed, grows with the items
    items     counts with many ties
    weight    correlated with amount and items
    discount  zero for two thirds of the rows
    delay     hours, heavy right tail
    rating    1 to 5, lower after a delay; missing more often after a delay
    returned  boolean, more often after a delay
    age       whole numbers; missing mostly for orders by phone
    score     numeric, correlated with age
    country   twenty categories, most of them rare
    channel   three categories

Needs numpy alone: other people's tools read the same files in an environment of their own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Columns = dict[str, Array]
Random = np.random.Generator

ROWS = (500, 400)
SUBGROUP = 0.05
DEPENDENCE = 0.55
START = np.datetime64("2025-03-03T00:00", "m")
DAY = 24 * 60
COUNTRIES = np.array(
    ["DE", "FR", "IT", "ES", "PL", "NL", "AT", "BE"] + [f"R{i}" for i in range(12)]
)
MIX = np.append([0.28, 0.2, 0.14, 0.1, 0.08, 0.06, 0.04, 0.04], np.full(12, 0.005))
CHANNELS = np.array(["web", "app", "phone"])
KINDS = {
    "time": "time",
    "returned": "category",
    "country": "category",
    "channel": "category",
}
"""What a user would have to tell tools that do not look; all others are numbers."""


def shop(rng: Random, rows: int, dependence: float = DEPENDENCE) -> Columns:
    """Draw rows of the shop; ``dependence`` is the correlation behind age and score."""
    size = rng.normal(size=rows)
    items = 1 + rng.poisson(np.exp(0.3 * size))
    delay = 20.0 * np.exp(0.6 * rng.normal(size=rows)) * rng.pareto(3.0, size=rows)
    late = 1.0 / (1.0 + np.exp(1.5 - delay / 15.0))
    channel = rng.choice(CHANNELS, size=rows, p=[0.5, 0.35, 0.15])
    habit, wealth = rng.normal(size=(2, rows))
    wealth = dependence * habit + np.sqrt(1 - dependence**2) * wealth
    age = np.rint(18 + 62 / (1 + np.exp(-habit)))
    rating = np.clip(np.rint(4.2 - 1.5 * late + 0.9 * rng.normal(size=rows)), 1, 5)
    discounted = rng.random(rows) < 0.33
    return {
        "time": _times(rng, rows),
        "amount": np.round(12 * items * np.exp(0.5 * size + 0.4 * rng.normal(size=rows)), 2),
        "items": items.astype(float),
        "weight": np.round(0.4 * items + np.exp(0.5 * size + 0.5 * rng.normal(size=rows)), 3),
        "discount": np.where(discounted, np.round(30 * rng.beta(2, 4, size=rows)), 0.0),
        "delay": np.round(delay, 2),
        "rating": np.where(rng.random(rows) < 0.05 + 0.25 * late, np.nan, rating),
        "returned": rng.random(rows) < 0.04 + 0.15 * late,
        "age": np.where(rng.random(rows) < np.where(channel == "phone", 0.35, 0.04), np.nan, age),
        "score": np.round(600 + 80 * wealth, 1),
        "country": rng.choice(COUNTRIES, size=rows, p=MIX / MIX.sum()),
        "channel": channel,
    }


def _times(rng: Random, rows: int) -> Array:
    """Minutes since the start: peaks at noon and in the evening, half as many on weekends."""
    days = np.arange(28)
    shares = np.where(days % 7 >= 5, 0.5, 1.0)
    day = rng.choice(days, size=rows, p=shares / shares.sum())
    peak = np.where(rng.random(rows) < 0.4, 12.5, 20.0)
    hour = np.mod(peak + 2.2 * rng.normal(size=rows), 24)
    return START + (day * DAY + hour * 60).astype(np.int64).astype("timedelta64[m]")


@dataclass(frozen=True)
class Change:
    """What happens to B, how strongly, and what an answer should name.

    Parameters
    ----------
    apply : (rng, columns, strength) → changed rows (m,)
        Changes the columns of B in place.
    strength : float
        Set so that compare finds the change in .6 to .95 of the draws of 500 v 400 rows.
    columns : names
        The columns whose law changed.
    missing : bool
        Whether the missing values are what changed.
    joint : bool
        Whether only the dependence of the columns changed, and the law of none.
    planted : bool
        Whether single rows can be told: those changed are unlike most others.
    """

    apply: Callable[[Random, Columns, float], Array]
    strength: float
    columns: tuple[str, ...]
    missing: bool = False
    joint: bool = False
    planted: bool = False


def _mean(rng: Random, b: Columns, strength: float) -> Array:
    b["amount"] = np.round(b["amount"] * (1 + strength), 2)
    return np.ones(len(b["amount"]), bool)


def _scale(rng: Random, b: Columns, strength: float) -> Array:
    b["score"] = np.round(600 + (b["score"] - 600) * (1 + strength), 1)
    return np.ones(len(b["score"]), bool)


def _category_mix(rng: Random, b: Columns, strength: float) -> Array:
    moved = (b["country"] == "DE") & (rng.random(len(b["country"])) < strength)
    b["country"][moved] = "FR"
    return moved


def _new_category(rng: Random, b: Columns, strength: float) -> Array:
    new = rng.random(len(b["channel"])) < strength
    b["channel"] = np.where(new, "kiosk", b["channel"])
    return new


def _missingness(rng: Random, b: Columns, strength: float) -> Array:
    """Every rating is lost with the same probability: what is left keeps its law."""
    gone = (rng.random(len(b["rating"])) < strength) & ~np.isnan(b["rating"])
    b["rating"][gone] = np.nan
    return gone


def _correlation(rng: Random, b: Columns, strength: float) -> Array:
    """Drawn anew with another dependence: the law of every single column stays."""
    b.update(shop(rng, len(b["age"]), strength))
    return np.ones(len(b["age"]), bool)


def _subgroup(rng: Random, b: Columns, strength: float) -> Array:
    """One row in twenty: dear, light, and of a low score."""
    moved = rng.random(len(b["amount"])) < SUBGROUP
    b["amount"][moved] = np.round(b["amount"][moved] * np.exp(strength), 2)
    b["weight"][moved] = np.round(b["weight"][moved] * np.exp(-strength), 3)
    b["score"][moved] -= np.round(80 * strength, 1)
    return moved


def _tail(rng: Random, b: Columns, strength: float) -> Array:
    """Delays beyond a day, one in eight, grow; all others stay."""
    far = b["delay"] > 24.0
    b["delay"][far] = np.round(24.0 * (b["delay"][far] / 24.0) ** strength, 2)
    return far


CHANGES: Mapping[str, Change] = {
    "mean": Change(_mean, 0.26, ("amount",)),
    "scale": Change(_scale, 0.25, ("score",)),
    "category mix": Change(_category_mix, 0.37, ("country",)),
    "new category": Change(_new_category, 0.03, ("channel",), planted=True),
    "missingness": Change(_missingness, 0.11, ("rating",), missing=True),
    "correlation": Change(_correlation, 0.22, ("age", "score"), joint=True),
    "subgroup": Change(_subgroup, 1.7, ("amount", "weight", "score"), planted=True),
    "tail": Change(_tail, 2.8, ("delay",), planted=True),
}


def draw(
    rng: Random, change: str, strength: float | None = None, rows: tuple[int, int] = ROWS
) -> tuple[Columns, Columns, Array]:
    """Tables A and B, and which rows of B were changed; ``change`` may be "none"."""
    a, b = shop(rng, rows[0]), shop(rng, rows[1])
    if change == "none":
        return a, b, np.zeros(rows[1], bool)
    how = CHANGES[change]
    return a, b, how.apply(rng, b, how.strength if strength is None else strength)


def write_csv(columns: Columns, path: Path) -> Path:
    """A file as people have it: ISO times, true and false, blanks for missing values."""
    words = [_words(values) for values in columns.values()]
    lines = [",".join(columns), *map(",".join, zip(*words, strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return path


def _words(values: Array) -> list[str]:
    match values.dtype.kind:
        case "M":
            return [str(value) for value in values]
        case "b":
            return ["true" if value else "false" for value in values]
        case "f":
            return ["" if value != value else f"{value:.10g}" for value in values]
    return values.tolist()
