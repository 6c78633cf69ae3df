"""The network that is adapted."""

import numpy as np

from optional import need

torch = need("torch")
from samelaw.learn.adaptation.datasets import EvaluationView, image_folder  # noqa: E402
from samelaw.learn.adaptation.loss import JointAdaptationLoss  # noqa: E402
from samelaw.learn.adaptation.network import AdaptationNetwork  # noqa: E402
from samelaw.learn.adaptation.schedule import AdaptationPlan  # noqa: E402
from samelaw.learn.adaptation.trainer import adapt  # noqa: E402


def test_training_on_image_files_with_a_backbone(tmp_path):
    """Two classes of noise around two colours; the target is darker."""
    image = need("PIL.Image")
    rng = np.random.default_rng(0)
    for domain, dim in (("light", 1.0), ("dark", 0.6)):
        for name, colour in (("red", (200, 40, 40)), ("blue", (40, 40, 200))):
            (tmp_path / domain / name).mkdir(parents=True)
            for index in range(12):
                noise = rng.integers(0, 40, (10, 10, 3))
                pixels = ((np.array(colour) + noise) * dim).astype(np.uint8)
                image.fromarray(pixels).save(tmp_path / domain / name / f"{index}.png")
    view = EvaluationView(10, 8)
    source, target = (image_folder(tmp_path / d, transform=view) for d in ("light", "dark"))
    torch.manual_seed(0)
    backbone = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.AdaptiveAvgPool2d(1))
    network = AdaptationNetwork(backbone, 4, classes=2, bottleneck=8)
    plan = AdaptationPlan(steps=30, batch=8, rate=0.1, backbone_rate=0.5, evaluate=30)
    result = adapt(network, JointAdaptationLoss(), source, target, plan=plan, rng=0)
    assert result.accuracy > 0.9


def test_a_backbone_gets_its_share_of_the_learning_rate():
    network = AdaptationNetwork(torch.nn.Linear(4, 3), 3, 2)
    heads, backbone = network.groups(0.1)
    assert (heads["scale"], backbone["scale"]) == (1.0, 0.1)
    assert len(heads["params"]) + len(backbone["params"]) == len(list(network.parameters()))
    assert len(AdaptationNetwork(None, 3, 2).groups(0.1)) == 1
