"""Objects on a turntable: data like COIL-20, made here.

COIL-20 has 20 objects seen every five degrees; its usual transfer task is from two opposite
quadrants to the other two. These objects are heaps of shaded balls, nearer ones lighter and in
front.
"""

from typing import Any

import numpy as np
import torch
from torch import nn

from samelaw.learn.adaptation import FeatureDomain

OBJECTS, VIEWS, SIDE, BALLS = 20, 72, 16, 10
Images = np.ndarray[Any, Any]


def photographs(seed: int = 0) -> Images:
    """Images (objects, views, pixels)."""
    rng = np.random.default_rng(seed)
    angles = 2 * np.pi * np.arange(VIEWS) / VIEWS
    found = []
    for _ in range(OBJECTS):
        place = rng.uniform(-0.75, 0.75, size=(BALLS, 3))
        width, shade = rng.uniform(0.08, 0.3, size=BALLS), rng.uniform(0.2, 1.0, size=BALLS)
        found.append([_seen(place, width, shade, angle).ravel() for angle in angles])
    return np.array(found)


def _seen(place: Images, width: Images, shade: Images, angle: float) -> Images:
    """One view: balls from the farthest to the nearest, each covering what is behind."""
    across = np.cos(angle) * place[:, 0] + np.sin(angle) * place[:, 1]
    near = np.cos(angle) * place[:, 1] - np.sin(angle) * place[:, 0]
    pixels = np.linspace(-1.0, 1.0, SIDE)
    image = np.zeros((SIDE, SIDE))
    for ball in np.argsort(near):
        away = (pixels[None, :] - across[ball]) ** 2 + (pixels[:, None] - place[ball, 2]) ** 2
        cover = np.exp(-0.5 * away / width[ball] ** 2)
        image = image * (1.0 - cover) + cover * shade[ball] * (0.6 + 0.4 * near[ball])
    return image


def domains() -> dict[str, FeatureDomain]:
    """Opposite quadrants make a domain; rows scaled to norm 1."""
    images = photographs()
    quadrant = np.arange(VIEWS) // (VIEWS // 4) % 2
    labels = torch.as_tensor(np.repeat(np.arange(OBJECTS), VIEWS // 2))
    rows = (images[:, quadrant == side].reshape(len(labels), -1) for side in (0, 1))
    return {
        name: FeatureDomain(nn.functional.normalize(torch.as_tensor(part).float()), labels)
        for name, part in zip(("first", "second"), rows, strict=True)
    }
