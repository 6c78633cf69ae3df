"""`samelaw.learn` as users meet it: torch only when asked for, a line that says what is missing."""

import json
import subprocess
import sys

import pytest

from optional import need

BLOCK = """
import sys
sys.modules["{0}"] = None  # importing it fails, as where it is not installed
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "{0}" else find(name, *rest)
"""
WITHOUT_TORCH = """
import samelaw
try:
    samelaw.learn.RJSDLoss
except ImportError as error:
    print(error)
"""
WITHOUT_TORCHMETRICS = """
import importlib, json, warnings
import torch
import samelaw

def seen():
    torch.manual_seed(0)
    found = []
    for order in (3, 10, float("inf")):
        x, y = torch.randn(90, 3, requires_grad=True), torch.randn(70, 3) + 0.5
        entropy = samelaw.VonNeumann() if order == float("inf") else samelaw.PowerSeries(order)
        value = samelaw.rjsd(x, y, kernel=samelaw.Gaussian(1.0), entropy=entropy)
        value.backward()
        found.append([value.item(), type(value.grad_fn).__name__, x.grad.tolist()])
    return found

before, filters = seen(), list(warnings.filters)
import samelaw.learn
importlib.reload(samelaw.learn)
added = [repr(f) for f in warnings.filters if f not in filters]
samelaw.learn.RJSDLoss
told = {"same": seen() == before, "added": added}
try:
    samelaw.learn.RepresentationJSD
except ImportError as error:
    told["error"] = str(error)
json.dump(told, sys.stdout)
"""


def output(script):
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def needs(library):
    return f'samelaw.learn needs {library}: pip install "samelaw[torch]"'


def test_a_missing_torch_is_one_line_that_says_what_to_type():
    assert output(BLOCK.format("torch") + WITHOUT_TORCH) == needs("PyTorch")


@pytest.mark.long
def test_import_and_reload_change_nothing_and_a_missing_torchmetrics_is_one_line():
    """No value, gradient or filter of warnings changes; one process: loading torch takes time."""
    need("torch")
    told = json.loads(output(BLOCK.format("torchmetrics") + WITHOUT_TORCHMETRICS))
    assert told == {"same": True, "added": [], "error": needs("torchmetrics")}


def test_torch_is_loaded_with_the_first_name_only():
    need("torch")
    script = "import sys, samelaw; samelaw.learn; print('torch' in sys.modules)"
    assert output(script) == "False"


def test_the_adaptation_loss_is_among_the_losses():
    need("torch")
    from samelaw import learn
    from samelaw.learn import adaptation

    assert learn.JointAdaptationLoss is adaptation.JointAdaptationLoss


def test_unknown_name_says_which():
    need("torch")
    import samelaw.learn as learn

    with pytest.raises(AttributeError, match="no_such_name"):
        _ = learn.no_such_name  # type: ignore[attr-defined]
