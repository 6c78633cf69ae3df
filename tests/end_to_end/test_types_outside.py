"""A project outside under `mypy --strict`: right use of samelaw passes, wrong use does not.

Editors read the same stubs and signatures: what is revealed here is what they complete.
"""

import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import samelaw
from optional import need

need("mypy")

pytestmark = pytest.mark.long  # mypy reads all of samelaw anew
CACHE = Path(__file__).parents[2] / ".mypy_cache" / "outside"

# Only what samelaw itself says is looked at; other libraries are not followed, for time.
SETTINGS = """
[mypy]
strict = true
follow_imports = skip

[mypy-samelaw.*]
follow_imports = silent

[mypy-scipy.*]
follow_imports = skip
follow_imports_for_stubs = true
"""

RIGHT = """
from pathlib import Path

import numpy as np
import samelaw
from samelaw import (
    Comparison,
    Fuse,
    Gaussian,
    GramEstimator,
    Permutation,
    PowerSeries,
    TestResult,
    VonNeumann,
    compare,
    group_tests,
    mmd,
    rjsd,
    standard_error,
    two_sample_test,
    write_report,
)
from samelaw.learn.adaptation import AdaptationPlan
from samelaw.extras.groups import GroupSketches
from samelaw.kernels import QuantileGrid, median_bandwidth
from samelaw.kernels import Entropy
from samelaw.kernels import Kernel, Matern, Mixture
from samelaw.learn import JointAdaptationLoss, RJSDLoss, critics
from samelaw.problems import CauchyPair
from samelaw.testing import Sequential, SoftMaximum, Strategy

x, y = CauchyPair.with_jsd(0.4).draw(30, rng=0)
kernel: Kernel = Mixture([Gaussian(median_bandwidth(x)), Matern(2.0, 0.5)])
entropies: list[Entropy] = [VonNeumann(), PowerSeries(10)]
values = [float(rjsd(x, y, kernel=kernel, entropy=entropy)) for entropy in entropies]
strategies: list[Strategy] = [Fuse(), Fuse.rjsd(), Permutation(GramEstimator(Gaussian(1.0)))]


def decide(strategy: Strategy) -> TestResult:
    return two_sample_test(x, y, strategy=strategy, level=0.1, permutations=99, rng=0)


def page(found: Comparison, path: Path) -> bool:
    write_report(found, path)
    return found.reject


def drawn(rng: np.random.Generator, n: float) -> tuple[object, object]:
    return rng.normal(size=(round(n), 1)), rng.normal(size=(round(n), 1)) + 2


labels = [*range(30), *range(30)]
two_sample_test(x, y, strategy=samelaw.learn.Deep(steps=3), groups=samelaw.Groups(labels))
two_sample_test(x, y, permutations=Sequential(), sample_weights=(None, np.ones(30)), progress=True)
group_tests([x, y], control=0, rng=np.random.default_rng([1, 2]), progress=lambda done, of: None)
needed: int = samelaw.sample_size(drawn, repetitions=9, permutations=Sequential(), rng=[1, 2])
sketches: GroupSketches = GroupSketches.of(x, labels[:30], control=3, keep=9)
pvalues: list[float] = [decide(strategy).pvalue for strategy in strategies]
error: float = standard_error(x, y)
print(mmd(x, y), values, pvalues, error, group_tests({"a": x, "b": y}), samelaw.__version__)
print(page(compare({"x": x[:, 0]}, {"x": y[:, 0]}), Path("page.html")), samelaw.Laplace(1.0))
print(RJSDLoss(corrected=True), JointAdaptationLoss(), critics.NWJ(), AdaptationPlan(steps=3))
print(QuantileGrid((0.5,)), SoftMaximum(2.0), samelaw.kernels.Cosine(), samelaw.learn.RJSDLoss)
"""

WRONG = """
from pathlib import Path

import samelaw
from samelaw import Gaussian, compare, rjsd, two_sample_test, write_report
from samelaw.kernels import Gausian  # refused: attr-defined


class Guess:
    def decide(self, chance: float) -> bool:
        return chance > 0.5


x, y = samelaw.problems.CauchyPair.with_jsd(0.4).draw(30, rng=0)
result = two_sample_test(x, y)
rjsd(1, 2, 3, nonsense=4)  # refused: arg-type call-arg
rjsd(x, y, kernel="gaussian")  # refused: arg-type
rjsd(x, y, kernel=Gaussian(bandwith=1.0))  # refused: call-arg
rjsd(x, y, weights="balenced")  # refused: arg-type
two_sample_test(x, y, strategy="fuse")  # refused: arg-type
two_sample_test(x, y, levels=0.1)  # refused: call-arg
two_sample_test(x, y, rng="0")  # refused: arg-type
two_sample_test(x, y, permutations="many")  # refused: arg-type
two_sample_test(x, y, sample_weights=1.0)  # refused: arg-type
two_sample_test(x, y, progress=3)  # refused: arg-type
two_sample_test(x, y, strategy=Guess())  # refused: arg-type
samelaw.group_tests([x, y], permutations=0.5)  # refused: arg-type
samelaw.k_sample_test([x, y], permutations=samelaw.testing.Sequential())  # refused: arg-type
samelaw.sample_size(lambda rng, n: (x, y), repetition=3)  # refused: call-arg
samelaw.detectable_change(lambda rng, c: (x, y), largest=1.0, jobs="all")  # refused: arg-type
samelaw.extras.groups.GroupSketches.of(x, range(30), keeps=3)  # refused: call-arg
samelaw.learn.FourierLayer.at_median(x, networks=None)  # refused: call-arg
samelaw.learn.cross_fit(samelaw.learn.VariationalJSD(), x, y, held_out=0.5)  # refused: call-arg
result.p_value  # refused: attr-defined
name: str = result.pvalue  # refused: assignment
compare(x, y, level="x")  # refused: arg-type
compare(x, y).verdicts  # refused: attr-defined
compare(x, y).to_frame("modin")  # refused: call-overload
write_report(result, Path("page.html"))  # refused: arg-type
samelaw.Fuse(colour="red")  # refused: call-arg
samelaw.Matern(1.0)  # refused: attr-defined
samelaw.kernels.Matern(smooth=0.5)  # refused: call-arg
samelaw.kernels.QuantileGrid(quantiles=0.5)  # refused: arg-type
samelaw.testing.SoftMaximum(sharp=2.0)  # refused: call-arg
samelaw.standard_error(x, y).upper()  # refused: attr-defined
samelaw.learn.RJSDLoss(corrected="yes")  # refused: arg-type
samelaw.learn.JointAdaptationLoss(depth=2)  # refused: call-arg
samelaw.learn.critics.NWY()  # refused: attr-defined
samelaw.learn.adaptation.AdaptationPlan(step=3)  # refused: call-arg
"""

SHOWN = """
import samelaw

reveal_type(samelaw.rjsd)  # shown: Kernel | None
reveal_type(samelaw.Gaussian(1.0))  # shown: .Gaussian"
reveal_type(samelaw.two_sample_test)  # shown: Sequential | None
reveal_type(samelaw.two_sample_test([], []))  # shown: .TestResult"
reveal_type(samelaw.two_sample_test([], []).pvalue)  # shown: float
reveal_type(samelaw.compare)  # shown: level: float
reveal_type(samelaw.compare([], []))  # shown: .Comparison"
reveal_type(samelaw.compare([], []).to_frame)  # shown: -> pandas.core.frame.DataFrame
reveal_type(samelaw.power_curve)  # shown: PowerCurve
reveal_type(samelaw.sample_size)  # shown: CurveOptions
reveal_type(samelaw.Fuse.rjsd())  # shown: .Fuse"
reveal_type(samelaw.learn.VariationalJSD().fit)  # shown: Fit
reveal_type(samelaw.learn.critics.JSBound())  # shown: .JSBound"
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What mypy says of a project in a folder of its own: {file: {line: [(kind, text)]}}."""
    folder = tmp_path_factory.mktemp("outside")
    sources = {"right.py": RIGHT, "wrong.py": WRONG, "shown.py": SHOWN, "mypy.ini": SETTINGS}
    for name, text in sources.items():
        (folder / name).write_text(text)
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:  # what has not changed is known from the last run
        fcntl.flock(lock, fcntl.LOCK_EX)
        run = subprocess.run(
            [sys.executable, "-m", "mypy", "--cache-dir", CACHE, *sorted(sources)[1:]],
            cwd=folder,
            env={**os.environ, "MYPYPATH": str(Path(samelaw.__file__).parents[1])},
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 1, run.stdout + run.stderr  # 1: it ran, and found what is wrong
    found = {}
    for name, line, kind, text in re.findall(r"^(\w+\.py):(\d+): (\w+): (.*)$", run.stdout, re.M):
        found.setdefault(name, {}).setdefault(int(line), []).append((kind, text))
    return found


def marked(source, word):
    """The lines of a file that carry a mark, with what it says."""
    lines = enumerate(source.splitlines(), start=1)
    return {number: line.split(f"# {word}: ")[1] for number, line in lines if f"# {word}: " in line}


def codes_of(told):
    return {text.split("[")[-1].rstrip("]") for kind, text in told if kind == "error"}


def test_right_use_passes(said):
    assert said.get("right.py", {}) == {}


def test_wrong_use_is_refused_where_it_is_wrong(said):
    codes = {line: codes_of(told) for line, told in said["wrong.py"].items()}
    assert codes == {line: set(text.split()) for line, text in marked(WRONG, "refused").items()}


def test_what_editors_complete_is_known(said):
    expected = marked(SHOWN, "shown")
    told = {line: " ".join(text for _, text in pairs) for line, pairs in said["shown.py"].items()}
    assert told.keys() == expected.keys()
    for line, text in expected.items():
        assert text in told[line]
