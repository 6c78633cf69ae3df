"""Images as tensors: what ImageNet backbones expect, without torchvision."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

MEAN = (0.485, 0.456, 0.406)
SPREAD = (0.229, 0.224, 0.225)
"""Of the colours of ImageNet, which published weights were trained with."""


def open_image(path: Path) -> "Picture":
    """The image in three colours; says which file cannot be read."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise ImportError("reading images needs Pillow: pip install pillow") from error
    try:
        with Image.open(path) as image:
            return image.convert("RGB")
    except UnidentifiedImageError as error:
        raise ValueError(f"{path} is no image.") from error


def to_tensor(image: "Picture") -> Tensor:
    """Colours first, scaled as ImageNet's: (3, height, width)."""
    values = torch.as_tensor(np.asarray(image, dtype=np.float32) / 255.0)
    scaled = (values - torch.tensor(MEAN)) / torch.tensor(SPREAD)
    return scaled.permute(2, 0, 1).contiguous()


@dataclass(frozen=True)
class EvaluationView:
    """The short side to ``resize``, then the square of ``crop`` in the middle.

    Examples
    --------
    >>> from PIL import Image
    >>> EvaluationView(8, 6)(Image.new("RGB", (20, 10))).shape
    torch.Size([3, 6, 6])
    """

    resize: int = 256
    crop: int = 224

    def __call__(self, image: "Picture") -> Tensor:
        short = min(image.size)
        size = [max(self.crop, round(side * self.resize / short)) for side in image.size]
        left, top = ((side - self.crop) // 2 for side in size)
        box = (left, top, left + self.crop, top + self.crop)
        return to_tensor(image.resize(size).crop(box))


@dataclass(frozen=True)
class TrainingView:
    """A random part of the image, stretched to a square, every other time mirrored.

    Parameters
    ----------
    crop : int
        Side of the result.
    smallest : float
        The least share of the area that is kept; aspect ratios lie between ¾ and 4/3.
    """

    crop: int = 224
    smallest: float = 0.08

    def __call__(self, image: "Picture") -> Tensor:
        width, height = image.size
        share, stretch, left, top, mirror = torch.rand(5).tolist()
        area = width * height * (self.smallest + (1 - self.smallest) * share)
        ratio = math.exp(math.log(4 / 3) * (2 * stretch - 1))
        part = (min(width, math.sqrt(area * ratio)), min(height, math.sqrt(area / ratio)))
        corner = (left * (width - part[0]), top * (height - part[1]))
        box = (*corner, corner[0] + part[0], corner[1] + part[1])
        tensor = to_tensor(image.resize((self.crop, self.crop), box=box))
        return tensor.flip(2) if mirror < 0.5 else tensor
