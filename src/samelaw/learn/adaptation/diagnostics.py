"""What adaptation did to the layers: how far apart the domains are, where, and for which class."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from samelaw.core.arrays import to_numpy
from samelaw.core.types import Matrix
from samelaw.learn.adaptation.datasets import UNKNOWN
from samelaw.learn.adaptation.loss import JointAdaptationLoss
from samelaw.learn.adaptation.selection import Outputs
from samelaw.learn.layer_kernels import CLASS_BANDWIDTH, AdaptiveGaussian

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_ROWS = 300  # of each domain: enough for two digits, a fraction of a training step's cost


@torch.no_grad()
def layer_divergences(source: Outputs, target: Outputs) -> dict[str, float]:
    """Bias-corrected RJSD of order 3 between the domains, per layer and jointly.

    Evenly spaced rows, at most 300 of each domain; near 0 (or a little below) when the domains
    cannot be told apart.

    Parameters
    ----------
    source, target : Outputs

    Returns
    -------
    dict
        ``features``, ``probabilities`` and ``joint``.

    Examples
    --------
    >>> import torch
    >>> same = Outputs(torch.eye(4), torch.eye(4), torch.arange(4))
    >>> sorted(layer_divergences(same, same))
    ['features', 'joint', 'probabilities']
    """
    from samelaw.kernels.formulas import Gaussian

    layers = [(_few(out.features), _few(out.logits).softmax(1)) for out in (source, target)]
    wide, classes = AdaptiveGaussian(), Gaussian(CLASS_BANDWIDTH)
    losses = {
        "features": (JointAdaptationLoss([wide], corrected=True), 0),
        "probabilities": (JointAdaptationLoss([classes], corrected=True), 1),
        "joint": (JointAdaptationLoss(corrected=True), None),
    }
    return {
        name: float(loss(*(pair if place is None else pair[place] for pair in layers)))
        for name, (loss, place) in losses.items()
    }


def _few(rows: Tensor) -> Tensor:
    if len(rows) <= _MOST_ROWS:
        return rows
    return rows[torch.linspace(0, len(rows) - 1, _MOST_ROWS, device=rows.device).long()]


def per_class_accuracy(
    outputs: Outputs, classes: Sequence[str] = ()
) -> dict[str, dict[str, float | int]]:
    """Accuracy for each true class: a mean can hide classes that adaptation merged.

    Parameters
    ----------
    outputs : Outputs
        With labels.
    classes : sequence of str, optional
        Names; numbers by default.

    Returns
    -------
    dict
        For each class that occurs: ``accuracy`` and ``rows``.

    Examples
    --------
    >>> import torch
    >>> out = Outputs(torch.zeros(2, 1), torch.tensor([[1.0, 0], [1, 0]]), torch.tensor([0, 1]))
    >>> per_class_accuracy(out)["1"]
    {'accuracy': 0.0, 'rows': 1}
    """
    predicted = outputs.logits.argmax(1)
    found: dict[str, dict[str, float | int]] = {}
    for label in torch.unique(outputs.labels[outputs.labels != UNKNOWN]).tolist():
        mine = outputs.labels == label
        right = (predicted[mine] == label).double().mean()
        name = classes[label] if label < len(classes) else str(label)
        found[name] = {"accuracy": float(right), "rows": int(mine.sum())}
    return found


@dataclass(frozen=True, eq=False)
class FeaturePicture:
    """Source and target features in the plane of their largest spread, before and after.

    Attributes
    ----------
    panels : mapping of str to (source (n, 2), target (m, 2))
    labels : (source (n,), target (m,))
    """

    panels: dict[str, tuple[Matrix, Matrix]] = field(repr=False)
    labels: tuple[Matrix, Matrix] = field(repr=False)

    def plot(self) -> "Figure":
        """A matplotlib figure: colour for the class, dots for the source, rings for the target."""
        from matplotlib import pyplot as plt

        figure, axes = plt.subplots(
            1, len(self.panels), figsize=(4.6 * len(self.panels), 4.2), squeeze=False,
            layout="constrained",
        )  # fmt: skip
        for axis, (title, (source, target)) in zip(axes[0], self.panels.items(), strict=True):
            colours = [plt.get_cmap("tab10")(side % 10) for side in self.labels]
            axis.scatter(*source.T, s=9, c=colours[0], lw=0, alpha=0.5, label="source")
            axis.scatter(*target.T, s=14, fc="none", ec=colours[1], lw=0.8, label="target")
            axis.set(title=title, xticks=[], yticks=[])
        axes[0][0].legend(frameon=False, fontsize=8)
        return figure


def feature_picture(**stages: tuple[Outputs, Outputs]) -> FeaturePicture:
    """Principal components of the pooled features at each stage.

    Parameters
    ----------
    **stages : (source, target) outputs
        For instance ``before=(…)`` and ``after=(…)``, on the same rows.

    Examples
    --------
    >>> import torch
    >>> out = Outputs(torch.randn(5, 3), torch.zeros(5, 2), torch.zeros(5, dtype=torch.int64))
    >>> feature_picture(before=(out, out)).panels["before"][0].shape
    (5, 2)
    """
    if not stages:
        raise ValueError("expected at least one stage, such as before=(source, target).")
    panels = {
        name: _in_the_plane(source.features, target.features)
        for name, (source, target) in stages.items()
    }
    source, target = next(iter(stages.values()))
    return FeaturePicture(panels, (to_numpy(source.labels), to_numpy(target.labels)))


def _in_the_plane(source: Tensor, target: Tensor) -> tuple[Matrix, Matrix]:
    pool = torch.cat([source, target]).double()
    centred = pool - pool.mean(0)
    axes = torch.linalg.svd(centred, full_matrices=False)[2][:2]
    placed = to_numpy(centred @ axes.T)
    return placed[: len(source)], placed[len(source) :]
