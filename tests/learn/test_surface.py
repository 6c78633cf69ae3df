"""`samelaw.learn` as users meet it: torch only when asked for, a line that says what is missing."""

import subprocess
import sys

import pytest

from optional import need

BLOCKED = """
import sys
sys.modules["{0}"] = None  # importing it fails, as where it is not installed
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "{0}" else find(name, *rest)
import samelaw
try:
    samelaw.learn.{1}
except ImportError as error:
    print(error)
"""


def output(script):
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.mark.parametrize(
    ("library", "name", "shown"),
    [("torch", "RJSDLoss", "PyTorch"), ("torchmetrics", "RepresentationJSD", "torchmetrics")],
)
def test_a_missing_library_is_one_line_that_says_what_to_type(library, name, shown):
    if library == "torchmetrics":
        need("torch")
    expected = f'samelaw.learn needs {shown}: pip install "samelaw[torch]"'
    assert output(BLOCKED.format(library, name)) == expected


def test_torch_is_loaded_with_the_first_name_only():
    need("torch")
    script = "import sys, samelaw; samelaw.learn; print('torch' in sys.modules)"
    assert output(script) == "False"


def test_the_adaptation_loss_is_among_the_losses():
    need("torch")
    from samelaw import adaptation, learn

    assert learn.JointAdaptationLoss is adaptation.JointAdaptationLoss


def test_unknown_name_says_which():
    need("torch")
    import samelaw.learn as learn

    with pytest.raises(AttributeError, match="no_such_name"):
        _ = learn.no_such_name  # type: ignore[attr-defined]
