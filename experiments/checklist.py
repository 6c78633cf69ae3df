"""Every testable statement of the paper with its status: ``python -m experiments.checklist``.

Statements of theory are held by tests that carry their name (``test_d1_…``); a row without one
would be "not tested". Figures and tables take words and numbers from the verdicts and summaries.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from experiments import grid
from experiments.common import HERE, read_json
from experiments.verdict import WORDS, cells_of, summary

TESTS = HERE.parent / "tests"


@dataclass(frozen=True)
class Row:
    """One statement: how it is shown, the number in the paper, and ours."""

    name: str
    statement: str
    shown: tuple[str, ...] = ()
    """Tests beyond those that carry its name, or beginnings of verdicts (``Figure 3: RJSD-p``)."""
    paper: str = "–"
    ours: Callable[[], str] | None = None
    command: str = ""

    @property
    def slug(self) -> str:
        return f"test_{self.name.lower().replace('+', '_plus')}_"

    @cached_property
    def tests(self) -> list[str]:
        slug = self.slug
        return [t for t in all_tests() if t.startswith(slug) or t in self.shown]

    @property
    def verdicts(self) -> list[str]:
        from experiments.verdicts import verdicts

        headings = tuple(
            s for s in self.shown if s.startswith(("Figure", "Table", "Section", "Abstract"))
        )
        return [
            v.word for v in verdicts() if headings and f"{v.item}: {v.claim}".startswith(headings)
        ]

    @property
    def status(self) -> str:
        if words := self.verdicts:
            return ", ".join(f"{words.count(w)} {w}" for w in WORDS if w in words)
        if not self.tests:
            return "not run"
        return f"holds ({len(self.tests)} {'test' if len(self.tests) == 1 else 'tests'})"

    @property
    def how(self) -> str:
        if self.command:
            return f"`{self.command}`"
        names = self.slug if any(t.startswith(self.slug) for t in self.tests) else self.tests[0]
        return f"`pytest -k {names}`"

    @cached_property
    def line(self) -> str:
        ours = self.ours() if self.ours else ("within rounding or its noise" if self.tests else "–")
        cells = (self.name, self.statement, self.status, self.paper, ours, self.how)
        return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


@cache
def all_tests() -> tuple[str, ...]:
    """Names of all tests of the tree."""
    texts = (path.read_text() for path in sorted(TESTS.rglob("test_*.py")))
    return tuple(name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.M))


def reproduce(name: str) -> str:
    return f"python -m experiments {name}"


def power(experiment: str, setting: str, keys: dict[str, str]) -> Callable[[], str]:
    """Power of what stands at some keys, with exact 95 % intervals and draws."""

    def told() -> str:
        book = cells_of(experiment)
        rates = [f"{name} {rated(book[key])}" for name, key in keys.items() if key in book]
        return f"{setting}: {'; '.join(rates)}" if rates else "–"

    return told


def fuses(setting: str, problem: str) -> Callable[[], str]:
    """RJSD-Fuse and MMD-Fuse at one point of figure 5."""
    return power("fig5", setting, {m: f"{problem} | {m}" for m in ("RJSD-Fuse", "MMD-Fuse")})


def deep_orders(setting: str, problem: str) -> Callable[[], str]:
    keys = {f"p = {p}": f"{problem} | RJSD-Deep, order {p}" for p in (1, 4, 10)}
    return power("fig4_deep", setting, keys)


def rated(entry: dict[str, Any]) -> str:
    rate, low, high = grid.rate(entry)
    return f"{rate:.2f} [{low:.2f}, {high:.2f}], {entry['repetitions']} draws"


def curve(panel: str, label: str, sigma: float) -> str:
    book = summary("fig1")["results"]
    nodes = book["settings"]["bandwidths" if panel in "abc" else "bandwidths_gaussian"]
    at = [np.interp(np.log(sigma), np.log(nodes), book[panel][label][k]) for k in ("mean", "sd")]
    return f"{at[0]:.3f} ± {at[1] / np.sqrt(book['settings']['repetitions']):.3f}"


def fig1(panel: str, labels: tuple[str, ...], sigma: float) -> Callable[[], str]:
    def told() -> str:
        return f"σ = {sigma:g}: " + ", ".join(f"{k} {curve(panel, k, sigma)}" for k in labels)

    return told


def entropies() -> str:
    """Those of the pool and of both samples, at the smallest bandwidth of figure 2."""
    book = summary("fig2")["results"]
    sigma, size = book["settings"]["bandwidths"][0], book["settings"]["size"]
    told = (
        f"{p} {' / '.join(f'{book[p][part][0]:.3f}' for part in ('pool', 'x', 'y'))}"
        for p in ("p = 1", "p = 10", "p = ∞")
    )
    return f"σ = {sigma:g}, n = {size}: {', '.join(told)}"


def slopes() -> str:
    from experiments.rates.__main__ import slope

    book = summary("rates")["results"]
    sizes = book["settings"]["sizes"]
    return "; ".join(f"{k} n^{slope(sizes, v):.2f}" for k, v in book["spread"].items())


def limit() -> str:
    book = summary("rates")["results"]
    errors, sizes = book["joint standard errors"], book["settings"]["joint_sizes"]
    last = (
        f"{name} {values[-1]:.3f} ± {errors[name][-1]:.3f}"
        for name, values in book["joint"].items()
        if len(values) == len(sizes)
    )
    return f"n = {sizes[-1]:,}: {', '.join(last)}"


def fig8() -> str:
    book = summary("fig8")["results"]
    best = {k: int(np.argmax(v)) for k, v in book["heights"].items() if k.endswith("2")}
    height = (f"{k} {book['heights'][k][i]:.3f}" for k, i in best.items())
    return f"largest: {', '.join(height)} nats"


def stream(*names: str) -> Callable[[], str]:
    """Bias and deviation of estimators of figure 3, the worst of the five levels."""

    def told() -> str:
        lines = summary("fig3")["results"]["stream"]
        return "; ".join(
            f"{n.split(',')[0]} bias {np.abs(lines[n]['bias']).max():.3f}, "
            f"sd {np.max(lines[n]['sd']):.3f}"
            for n in names
        )

    return told


def accuracy(title: str, benchmarks: tuple[str, ...]) -> tuple[str, Callable[[], str]]:
    """Means over tasks of MMD and RJSD in the paper, and the difference on the stand-ins."""
    given = read_json(HERE / "tables2_4" / "paper.json")[title]

    def told() -> str:
        from experiments.tables2_4.report import accuracies, compared, unfolded
        from experiments.tables2_4.tasks import BENCHMARKS

        book = unfolded(summary("tables2_4")["main"])
        parts = []
        for name in benchmarks:
            pair = (accuracies(book, name, method) for method in ("RJSD 3", "MMD"))
            found: dict[str, Any] = compared(*pair)
            gap = f"{found['difference']:+.2f} ± {found['standard_error']:.2f} points"
            parts.append(f"{BENCHMARKS[name].title} {gap}")
        return "stand-in, RJSD − MMD: " + "; ".join(parts)

    paper = f"MMD {np.mean(given['MMD']):.1f} %, RJSD {np.mean(given['RJSD']):.1f} %"
    tasks = len(given["tasks"])
    return paper + (f" (means of {tasks} tasks)" if tasks > 1 else ""), told


def theory() -> list[Row]:
    return [
        Row("D1", "MMD² is the squared distance of mean embeddings"),
        Row("D2", "C uncentred; Σ = C − μ⊗μ"),
        Row("D3", "E[f g] = ⟨g, C f⟩"),
        Row("D4", "unit diagonal: trace 1, eigenvalues a law"),
        Row("D5", "C is self-adjoint and positive; empirical form"),
        Row("D6", "S(C) = −Tr C log C"),
        Row("D7", "Rényi entropies and their limits"),
        Row("P1", "S(C_X) = S(K/n)"),
        Row("P1b", "cost O(n³)"),
        Row("P2", "S(K/n) → S(C) at 1/√n", paper="1/√n", ours=slopes),
        Row("P2b", "0 ≤ S ≤ log n, both reached"),
        Row("J1", "JSD is the information of the label"),
        Row("J2", "definition of RJSD"),
        Row("L1", "D ≥ ⅛ of the squared nuclear norm"),
        Row("L1+", "the constant can be ¼"),
        Row("L2", "distance of operators is MMD with κ²"),
        Row("Th1", "κ² characteristic: D = 0 only for equal laws"),
        Row("Pr1", "D ≥ 0"),
        Row("Pr2", "D(C, C) = 0"),
        Row("Pr3", "D is symmetric"),
        Row("Pr4", "D ≤ log 2, the estimator ≤ h(π)"),
        Row("Pr5", "√D is a metric (not √D_p for small orders)"),
        Row("Pr6", "joint convexity, data processing"),
        Row("Th2", "D ≤ JSD"),
        Row("E1", "the pool's covariance is the mixture"),
        Row("E2", "kernel estimator"),
        Row("E3", "consistent; bias of equal laws as 1/n", paper="consistent", ours=slopes),
        Row("E4", "upward bias; σ → 0 gives log 2"),
        Row("E5", "series of the logarithm"),
        Row("E6", "S_p is Σ f_p(λ) and tends to S"),
        Row("E7", "largest S_p at K = I"),
        Row("E8", "f_p concave, so D_p ≥ 0"),
        Row("E9", "D_p of rows that are all alone, ≈ p/2n"),
        Row("E10", "gap of the maxima grows with p"),
        Row("Th3", "D_1 = ¼ MMD² with κ²; in general π(1−π)"),
        Row("E11", "D_p ≤ D if λ ≤ 1/(p+1), not in general"),
        Row("F1", "Fourier features: norm 1, error as 1/√D"),
        Row("F2", "their estimator"),
        Row("F3", "S ≤ log min(2D, n); few features regularise"),
        Row("F4", "D → ∞ gives the kernel estimator"),
        Row("F5", "moving covariances lower the variance"),
        Row("F6", "differentiable in W, σ and a network"),
        Row("C1", "closed-form JSD of Cauchy laws"),
    ]


def figures() -> list[Row]:
    command = reproduce
    small, large = ("n = 32", "n = 128", "n = 512"), ("d = 4", "d = 16", "d = 64")
    orders, features = ("p = 1", "p = 4", "p = 10"), ("D = 16", "D = 256")
    one, two, three = command("fig1"), command("fig3"), command("fig4")
    return [
        Row("Fig1a", "kernel estimator against σ and n", ("Figure 1",), "true JSD .3466",
            fig1("a", small, 1.0), one),
        Row("Fig1b", "finite orders peak inside", ("Figure 1",), "–", fig1("b", orders, 2.0), one),
        Row("Fig1c", "few frequencies regularise", ("Figure 1",), "–",
            fig1("c", features, 0.001), one),
        Row("Fig1d", "saturates faster in high dimension", ("Figure 1",), "–",
            fig1("d", large, 3.0), one),
        Row("Fig1e,f", "order 10 and features do not", ("Figure 1",), "–",
            fig1("e", large, 3.0), one),
        Row("Fig2", "small p: the three entropies meet as σ → 0", ("Figure 2",), "–",
            entropies, command("fig2")),
        Row("V1", "variational estimator: sup over the kernel",
            ("test_objective_is_balanced_rjsd", "test_default_finds_the_divergence_of_samples")),
        Row("Fig3-1", "kernel RJSD maximised goes to log 2",
            ("Figure 3: the kernel estimator",), "log 2",
            stream("RJSD, published"), two),
        Row("Fig3-2..4", "RJSD-p, -FF, -NN track the JSD",
            ("Figure 3: RJSD",), "–",
            stream("RJSD-p, published", "RJSD-FF, published", "RJSD-NN, published"), two),
        Row("Fig3-5..8", "MINE noisy, CLUB biased, InfoNCE and NWJ slow",
            ("Figure 3: MINE",), "–",
            stream("MINE, labels shuffled", "CLUB", "InfoNCE", "NWJ"), two),
        Row("TS0", "level of permutation tests",
            ("test_false_alarms_are_as_rare_as_promised",
             "test_pvalues_of_the_default_are_uniform")),
        Row("TS1", "RJSD-Split", ("test_published_is_the_plain_divergence_over_a_full_matrix",)),
        Row("TS2", "deep kernel: positive, unit diagonal",
            ("test_positive_definite_with_ones_on_the_diagonal",)),
        Row("TS3", "Fuse: soft maximum",
            ("test_rjsd_fuse_of_order_one_is_the_soft_maximum_of_normalised_mmd",)),
        Row("TS4", "K/√N gives D_1/N",
            ("test_rjsd_fuse_of_order_one_is_the_soft_maximum_of_normalised_mmd",)),
        Row("TS5", "order 1 and MMD-Fuse",
            ("test_rjsd_fuse_of_order_one_is_the_soft_maximum_of_normalised_mmd",
             "test_mmd_fuse_is_as_published")),
        Row("TS6", "kernels and ten quantile bandwidths",
            ("test_a5_ten_bandwidths_are_quantiles_of_distances_within_and_between_clusters",)),
        Row("Fig4-a", "power against p, Mixture", ("Figure 4 left",), "p = 10 best",
            power("fig4", "σ = 2", {f"p = {p}": f"σ = 2.0 | {p} | published objective"
                                    for p in (1, 6, 10, 20)}), three),
        Row("Fig4-b", "… Galaxy", ("Figure 4 middle",), "p = 10 best",
            deep_orders("Galaxy Zoo, c = .4", "Galaxy Zoo, pixels | 0.4"), three),
        Row("Fig4-c", "… CIFAR", ("Figure 4 right",), "p = 10 best",
            deep_orders("votes, n = 1,000", "CIFAR-10 v 10.1, votes | 1.0"), three),
        Row("Fig5-a", "Mixture against σ", ("Figure 5a (",), "–",
            fuses("σ = 1.6", "mixture | 1.6"), command("fig5")),
        Row("Fig5-b", "Mixture against n", ("Figure 5b",), "–",
            fuses("n = 1,000", "mixture, rows | 1000"), command("fig5")),
        Row("Fig5-c", "Galaxy against c", ("Figure 5c",), "–",
            fuses("Galaxy Zoo, c = .25", "galaxy | 0.25"), command("fig5")),
        Row("Fig5-d", "Galaxy against n", ("Figure 5d",), "RJSD-Fuse slightly behind",
            fuses("Galaxy Zoo, n = 500", "galaxy, c = 0.3, rows | 500"), command("fig5")),
    ]  # fmt: skip


FIVE, THIRTY = "votes of 5, n = 300", "votes of 30, n = 1,000"
SETTINGS = {
    FIVE: ("table1", "votes of five | 300"),
    THIRTY: ("fig4_deep", "CIFAR-10 v 10.1, votes | 1.0"),
}
FUSED, DEEP = "Table 1: fused tests", "Table 1 and figure 5c: deep kernels"
OTHERS = f"{FUSED}: RJSD-Fuse above the other rows"
CELLS = {  # of table 1: the paper's power, where ours stands and under which name, and its verdicts
    "RJSD-Fuse": ("1.000", FIVE, "RJSD-Fuse", FUSED),
    "MMD-Fuse": (".937", FIVE, "MMD-Fuse", f"{FUSED}: RJSD-Fuse above MMD-Fuse"),
    "MMDAgg": (".883", FIVE, "MMDAgg", OTHERS),
    "RJSD-Deep": (".868", THIRTY, "RJSD-Deep, published objective, order 10", DEEP),
    "MMD-Deep": (".744", THIRTY, "MMD-Deep", DEEP),
    "CTT": (".711", FIVE, "goodpoints CTT", OTHERS),
    "ACTT": (".678 (misprint; .652)", FIVE, "goodpoints ACTT", OTHERS),
    "MMD-Split": (".316 (misprint; .251)", FIVE, "MMD-Split", OTHERS),
    "MMDAggInc": (".281", FIVE, "MMDAggInc", OTHERS),
    "SCF": (".171", FIVE, "hyppo SCF", OTHERS),
}


def table1() -> list[Row]:
    statement, command = "power, CIFAR-10 v 10.1; ours: a stand-in", reproduce("table1")
    rows = []
    for method, (paper, setting, ours, verdict) in CELLS.items():
        experiment, problem = SETTINGS[setting]
        told = power(experiment, setting, {method: f"{problem} | {ours}"})
        rows.append(Row(f"T1 {method}", statement, (verdict,), paper, told, command))
    missing = "not run: it cannot be installed"
    return [*rows, Row("T1 AutoML", statement, (), ".544", lambda: missing, command)]


def tables() -> list[Row]:
    rows = table1()
    for name, title, benchmarks in (
        ("T2", "Office-31 (table 2)", ("office31",)),
        ("T3", "Office-Home (table 3)", ("surf", "caltech")),
        ("T4", "ImageNet-R (table 4)", ("pacs",)),
        ("T4b", "ImageNet-Sketch (table 4)", ("pacs",)),
    ):
        paper, ours = accuracy(title, benchmarks)
        number = name[1]
        shown = (f"Table {number}",)
        rows.append(Row(name, title, shown, paper, ours, reproduce(f"table{number}")))
    return rows


def rest() -> list[Row]:
    return [
        Row("DA1", "Hadamard product is the tensor-product covariance"),
        Row("DA2", "joint loss, trace one, gradients",
            ("test_value_is_rjsd_under_the_bound_kernel", "test_gradient_passes_gradcheck")),
        Row("DA3", "order 1 is joint MMD with squared kernels",
            ("test_order_one_is_joint_mmd_with_squared_kernels",)),
        Row("A1", "traces of rank-one operators (proof of lemma 5)"),
        Row("A2", "proof of theorem 7: D ≤ JSD",
            ("test_th2_rjsd_is_at_most_the_classical_jsd",)),
        Row("A3", "rate of the divergence", paper="at most 3[·]", ours=slopes),
        Row("A3b", "σ → 0 with n → ∞: RJSD → JSD (section 5.1)", ("Section 5.1",), "→ .3466",
            limit, "python -m experiments.rates run"),
        Row("A4", "network of RJSD-Deep: no batch norm, tanh",
            ("test_networks_have_the_shapes_of_the_paper",)),
        Row("A5", "figure 8: distances and D over ten bandwidths", ("Figure 8",), "–", fig8,
            reproduce("fig8")),
        Row("X1", "shift detection (abstract)", ("Abstract",), "no experiment",
            fuses("votes of 30, n = 500", "votes, rows | 500"), reproduce("fig5")),
    ]  # fmt: skip


@cache
def rows() -> tuple[Row, ...]:
    return (*theory(), *figures(), *tables(), *rest())


HEAD = ("row", "statement", "status", "paper", "ours, with its error", "command")


def page() -> str:
    """Markdown, as the documentation includes it."""
    lines = ["<!-- Written by `python -m experiments.checklist`; do not edit. -->", ""]
    lines += [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    return "\n".join([*lines, *(row.line for row in rows()), ""])


if __name__ == "__main__":
    (HERE / "checklist.md").write_text(page())
