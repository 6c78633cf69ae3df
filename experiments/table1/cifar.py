"""CIFAR-10 and CIFAR-10.1 from the files their authors publish, none of them a pickle."""

from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
SIDE = 32
PIXELS = 3 * SIDE * SIDE


def read_batch(path: Path) -> tuple[Array, Array]:
    """Images (n, 32, 32, 3) and labels (n,) of a batch of the binary version of CIFAR-10.

    A record is a byte for the label and 3,072 for the pixels: red, green, blue, row by row.
    """
    raw = np.fromfile(path, dtype=np.uint8)
    if raw[:1].tobytes() == b"\x80":  # how a pickle begins
        raise ValueError(
            f"{path.name} is a batch of the Python version, which only pickle opens; take the "
            "binary version (data_batch_1.bin … test_batch.bin)."
        )
    if not raw.size or raw.size % (PIXELS + 1):
        raise ValueError(
            f"{path.name} has {raw.size:,} bytes; a batch has {PIXELS + 1:,} per image."
        )
    records = raw.reshape(-1, PIXELS + 1)
    labels = records[:, 0]
    if labels.max() > 9:
        raise ValueError(f"{path.name} has the label {labels.max()}; CIFAR-10 has 0 to 9.")
    return records[:, 1:].reshape(-1, 3, SIDE, SIDE).transpose(0, 2, 3, 1), labels.astype(int)


def read_cifar_10_1(folder: Path, version: str = "v4") -> tuple[Array, Array]:
    """Images (n, 32, 32, 3) and labels (n,) of ``cifar10.1_<version>_data.npy``, v4 or v6."""
    images, labels = (
        np.load(folder / f"cifar10.1_{version}_{part}.npy", allow_pickle=False)
        for part in ("data", "labels")
    )
    if images.shape[1:] != (SIDE, SIDE, 3) or len(images) != len(labels):
        raise ValueError(
            f"cifar10.1_{version} has images {images.shape} and {len(labels)} labels; expected "
            f"(n, {SIDE}, {SIDE}, 3) and n."
        )
    return images, labels.astype(int)


def rows(images: Array) -> Array:
    """Pixels in 0…1, a row per image."""
    return images.reshape(len(images), -1) / np.float32(255)


def found(data: Path) -> tuple[Path, Path] | None:
    """The test batch of CIFAR-10 and the folder of CIFAR-10.1, if they have been dropped in."""
    batch = data / "cifar10" / "test_batch.bin"
    folder = data / "cifar10.1"
    there = batch.exists() and (folder / "cifar10.1_v4_data.npy").exists()
    return (batch, folder) if there else None
