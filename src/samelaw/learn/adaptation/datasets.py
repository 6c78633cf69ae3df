"""Domains to adapt between: feature files and image folders, as torch datasets.

The loaders know the official layouts of Office-31, Office-Home, ImageNet-R and ImageNet-Sketch;
the images themselves are for you to obtain.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypedDict, Unpack

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

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


View: TypeAlias = Callable[["Picture"], Tensor]
"""From a PIL image to a tensor."""

Domain: TypeAlias = Dataset[tuple[Tensor, Tensor | int]]
"""Pairs of input and class."""

UNKNOWN = -1
"""The label of a row whose class is not known."""

_SUFFIXES = {".jpg", ".jpeg", ".png", ".bmp", ".webp"}


@dataclass(frozen=True, eq=False)
class FeatureDomain(Dataset[tuple[Tensor, Tensor]]):
    """Rows of features in memory with their classes.

    Parameters
    ----------
    inputs : tensor or array (n, …)
    labels : whole numbers (n,), optional
        −1 where unknown; all unknown by default.
    classes : sequence of str
        Their names, if known.

    Examples
    --------
    >>> import torch
    >>> domain = FeatureDomain(torch.zeros(3, 2), torch.tensor([0, 1, 1]))
    >>> len(domain), domain[1][1].item()
    (3, 1)
    """

    inputs: Tensor
    labels: Tensor = field(default_factory=lambda: torch.empty(0, dtype=torch.int64))
    classes: Sequence[str] = ()

    def __post_init__(self) -> None:
        given: object = self.labels
        labels = torch.empty(0) if given is None else torch.as_tensor(given)
        if len(labels) == 0:
            labels = torch.full((len(self.inputs),), UNKNOWN)
        if labels.is_floating_point():
            raise TypeError(f"labels have dtype {labels.dtype}; expected whole numbers of classes.")
        object.__setattr__(self, "inputs", _as_tensor(self.inputs))
        object.__setattr__(self, "labels", labels.long())
        if len(self.labels) != len(self.inputs):
            raise ValueError(f"{len(self.inputs)} rows of inputs, {len(self.labels)} labels.")

    def __repr__(self) -> str:
        known = int((self.labels != UNKNOWN).sum())
        return f"FeatureDomain(inputs {tuple(self.inputs.shape)}, {known} with a class)"

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.inputs[index], self.labels[index]

    def take(self, indices: Sequence[int]) -> "FeatureDomain":
        """The rows asked for, in one look-up."""
        chosen = torch.as_tensor(np.asarray(indices))
        return FeatureDomain(self.inputs[chosen], self.labels[chosen], self.classes)


def _as_tensor(values: object) -> Tensor:
    """Tensors as they are; arrays as networks take them, in the default type."""
    if isinstance(values, Tensor):
        return values
    found = torch.as_tensor(values)
    return found.to(torch.get_default_dtype()) if found.is_floating_point() else found


def read_features(path: str | Path) -> dict[str, FeatureDomain]:
    """Domains of an ``.npz`` file of features, by name.

    The file holds ``X`` (n, d), ``y`` (n,), ``domain`` (n,) numbers into ``domains`` (names) and,
    if known, ``classes`` (names). Nothing in it is unpickled.

    Parameters
    ----------
    path : str or Path

    Examples
    --------
    >>> import io, numpy as np
    >>> file = io.BytesIO()
    >>> np.savez(file, X=np.eye(2), y=[0, 1], domain=[0, 1], domains=["photo", "sketch"])
    >>> _ = file.seek(0)
    >>> sorted(read_features(file))
    ['photo', 'sketch']
    """
    with np.load(path, allow_pickle=False) as stored:
        absent = {"X", "y", "domain", "domains"} - set(stored.files)
        if absent:
            raise ValueError(f"{path} lacks {', '.join(sorted(absent))}; it has {stored.files}.")
        inputs = torch.as_tensor(stored["X"].astype(np.float32))
        labels = torch.as_tensor(stored["y"].astype(np.int64))
        owner = stored["domain"]
        names = [str(name) for name in stored["domains"]]
        classes = tuple(str(c) for c in stored["classes"]) if "classes" in stored.files else ()
    members = {name: torch.as_tensor(owner == i) for i, name in enumerate(names)}
    return {name: FeatureDomain(inputs[m], labels[m], classes) for name, m in members.items()}


@dataclass(frozen=True, eq=False)
class ImageDomain(Dataset[tuple[Tensor, int]]):
    """Images on disk, opened when asked for.

    Parameters
    ----------
    files : sequence of Path
    labels : sequence of int
    classes : sequence of str
    transform : callable, optional
        From a PIL image to a tensor: `EvaluationView`, `TrainingView` or one of torchvision.
    """

    files: Sequence[Path]
    labels: Sequence[int]
    classes: Sequence[str]
    transform: View | None = None

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:

        view = self.transform or EvaluationView()
        return view(open_image(self.files[index])), self.labels[index]


class _FolderOptions(TypedDict, total=False):
    classes: Sequence[str] | None
    transform: View | None


def image_folder(
    folder: str | Path,
    *,
    classes: Sequence[str] | None = None,
    transform: View | None = None,
) -> ImageDomain:
    """Images in one folder per class.

    Parameters
    ----------
    folder : str or Path
        Holds ``<class>/<image>``; folders within a class are searched too.
    classes : sequence of str, optional
        The classes and their numbering; all folders in alphabetical order by default. Give those
        of the target to a source with more classes (ImageNet for ImageNet-R).
    transform : callable, optional
        See `ImageDomain`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("mug", "bike"):
    ...     (folder / name).mkdir(); (folder / name / "0.png").touch()
    >>> image_folder(folder).classes
    ('bike', 'mug')
    """
    root = Path(folder)
    if not root.is_dir():
        raise FileNotFoundError(f"there is no folder {root}.")
    found = tuple(sorted(path.name for path in root.iterdir() if path.is_dir()))
    names = found if classes is None else tuple(classes)
    absent = [name for name in names if name not in found]
    if absent or not names:
        what = f"no folders of the classes {absent[:5]}" if absent else "no folders of classes"
        raise ValueError(f"{root} holds {what}; it has {list(found[:5])}.")
    pairs = [
        (path, label)
        for label, name in enumerate(names)
        for path in sorted((root / name).rglob("*"))
        if path.suffix.lower() in _SUFFIXES
    ]
    if not pairs:
        raise ValueError(f"{root} holds no images ({', '.join(sorted(_SUFFIXES))}).")
    return ImageDomain([p for p, _ in pairs], [label for _, label in pairs], names, transform)


OFFICE_31 = ("amazon", "dslr", "webcam")
OFFICE_HOME = ("Art", "Clipart", "Product", "Real World")


def office_31(folder: str | Path, domain: str, **options: Unpack[_FolderOptions]) -> ImageDomain:
    """One of the domains amazon, dslr, webcam of Office-31 (31 classes, 4,110 images).

    The official archive has ``<domain>/images/<class>/frame_0001.jpg``; copies without the level
    ``images`` are read too.

    Parameters
    ----------
    folder : str or Path
    domain : str
    **options
        ``classes`` and ``transform`` of `image_folder`.
    """
    root = _domain_folder(folder, domain, OFFICE_31)
    return image_folder(root / "images" if (root / "images").is_dir() else root, **options)


def office_home(folder: str | Path, domain: str, **options: Unpack[_FolderOptions]) -> ImageDomain:
    """One of the domains Art, Clipart, Product, Real World of Office-Home (65 classes).

    The official archive has ``<domain>/<class>/00001.jpg``.

    Parameters
    ----------
    folder : str or Path
    domain : str
    **options
        ``classes`` and ``transform`` of `image_folder`.
    """
    return image_folder(_domain_folder(folder, domain, OFFICE_HOME), **options)


def imagenet_r(folder: str | Path, **options: Unpack[_FolderOptions]) -> ImageDomain:
    """ImageNet-R: ``<wordnet id>/<rendition>_<number>.jpg``, 200 classes.

    Its source is `image_folder` of ImageNet with ``classes=imagenet_r(…).classes``.

    Parameters
    ----------
    folder : str or Path
    **options
        ``classes`` and ``transform`` of `image_folder`.
    """
    return image_folder(_inside(folder, "imagenet-r"), **options)


def imagenet_sketch(folder: str | Path, **options: Unpack[_FolderOptions]) -> ImageDomain:
    """ImageNet-Sketch: ``<wordnet id>/sketch_<number>.JPEG``, 1,000 classes.

    Parameters
    ----------
    folder : str or Path
    **options
        ``classes`` and ``transform`` of `image_folder`.
    """
    return image_folder(_inside(folder, "sketch"), **options)


def _domain_folder(folder: str | Path, domain: str, known: Sequence[str]) -> Path:
    if domain not in known:
        raise ValueError(f"domain must be one of {', '.join(known)}; got {domain!r}.")
    return Path(folder) / domain


def _inside(folder: str | Path, archive: str) -> Path:
    """The folder itself, or the one the archive unpacks to within it."""
    root = Path(folder)
    return root / archive if (root / archive).is_dir() else root
