"""Importing `samelaw.learn` changes nothing elsewhere."""

import json
import subprocess
import sys

from optional import need

need("torch")

SCRIPT = """
import importlib, json, sys, warnings
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
json.dump({"same": seen() == before, "added": added}, sys.stdout)
"""


def test_import_and_reload_change_no_value_gradient_or_warnings_filter():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"same": True, "added": []}
