"""Libraries that are not installed with samelaw, and how to get them."""

from importlib.util import find_spec

# What users call a library, and the extra that brings it.
_OPTIONAL = {
    "torch": ("PyTorch", "torch"),
    "torchmetrics": ("torchmetrics", "torch"),
    "sklearn": ("scikit-learn", "sklearn"),
    "river": ("river", "river"),
}


def require(package: str, *libraries: str) -> None:
    """Raise unless libraries are installed, without loading them."""
    for library in libraries:
        if find_spec(library) is None:
            shown, extra = _OPTIONAL[library]
            raise ImportError(f'{package} needs {shown}: pip install "samelaw[{extra}]"')
