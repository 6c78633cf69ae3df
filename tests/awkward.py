"""Arrays as users bring them: every dtype, shape, stride, scale and library, for `test_inputs`."""

import importlib.util

import numpy as np
from hypothesis import strategies as st

HAS = {name: importlib.util.find_spec(name) is not None for name in ("jax", "pandas", "torch")}

REAL = ("float64", "float32", "float16", "longdouble", ">f8", ">f4")
WHOLE = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", ">i4", "bool")
ODD = ("complex128", "complex64", "object", "str", "bytes", "datetime64[s]", "timedelta64[s]", "V8")
SCALES = (1.0, 1e-300, 1e-160, 1e-30, 1e-5, 1e5, 1e30, 1e150, 1e153, 1e300)
CONTENTS = ("normal", "constant", "zeros", "repeated", "counts", "nan", "inf", "one far out")
THINGS = (
    None,
    3.0,
    7,
    True,
    "text",
    b"bytes",
    [],
    [[]],
    [[1.0], [2.0, 3.0]],
    {},
    {"a": [1.0]},
    object(),
)


def values(rng, content, shape):
    """Double-precision numbers of a shape."""
    found = np.asarray(rng.standard_normal(shape))
    if content == "constant":
        found = np.full(shape, 0.3)
    elif content == "zeros":
        found = np.zeros(shape)
    elif content == "counts":
        found = rng.integers(0, 3, shape).astype(float)
    elif found.ndim and content == "repeated":
        found = np.ascontiguousarray(np.broadcast_to(found[:1], shape))
    elif found.size and content in ("nan", "inf"):
        found.flat[rng.integers(found.size)] = float(content)
    elif found.size and content == "one far out":
        found.flat[0] = 1e6
    return found


def cast(found, dtype):
    with np.errstate(all="ignore"):
        if dtype in ("str", "object", "bytes"):
            return found.astype(dtype if dtype == "object" else {"str": "U8", "bytes": "S8"}[dtype])
        if np.dtype(dtype).kind in "MmV":
            return np.zeros(found.shape, dtype)
        if np.dtype(dtype).kind in "iu":
            found = np.nan_to_num(found, nan=0, posinf=9, neginf=9).clip(-100, 100)
        return np.asarray(found.astype(dtype))


def _strided(a):
    return np.repeat(a, 2, axis=0)[::2] if a.ndim else a


def _read_only(a):
    copy = a.copy()
    copy.flags.writeable = False
    return copy


LAYOUTS = {
    "plain": lambda a: a,
    "columns first": np.asfortranarray,
    "backwards": lambda a: np.ascontiguousarray(a[::-1])[::-1] if a.ndim else a,
    "every other row": _strided,
    "read-only": _read_only,
    "a slice of a wider one": lambda a: (
        np.concatenate([a, a], axis=-1)[..., : a.shape[-1]] if a.ndim else a
    ),
    "matrix": lambda a: a.view(np.matrix) if a.ndim == 2 else a,
}
BENT = {  # what holds other numbers than the array it came from
    "one row, no stride": lambda a: np.broadcast_to(a[:1], a.shape) if a.ndim else a,
    "masked, nothing hidden": np.ma.masked_array,
    "masked": lambda a: np.ma.masked_array(a, np.arange(a.size).reshape(a.shape) % 3 == 0),
}


def libraries():
    found = {"list": lambda a: a.tolist()}
    if HAS["torch"]:
        import torch

        found["torch"] = lambda a: torch.asarray(np.array(a, a.dtype.newbyteorder("=")))
        found["torch half"] = lambda a: found["torch"](a).to(torch.bfloat16)
        found["torch with a gradient"] = lambda a: (
            found["torch"](a).to(torch.float64).requires_grad_()
        )
    if HAS["jax"]:
        import jax.numpy

        found["jax"] = lambda a: jax.numpy.asarray(np.array(a, a.dtype.newbyteorder("=")))
    if HAS["pandas"]:
        import pandas

        found["frame"] = lambda a: pandas.DataFrame(a)
        found["nullable frame"] = lambda a: pandas.DataFrame(a).convert_dtypes()
        found["frame with a gap"] = lambda a: pandas.DataFrame(a).astype("Float64").shift()
        found["series"] = lambda a: pandas.Series(a.ravel())
    return found


LIBRARIES = libraries()


@st.composite
def numbers(draw):
    """A numpy array: shapes, dtypes, scales and layouts, the odd ones among them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = draw(st.sampled_from([2, 2, 2, 1, 3, 0]))
    rows = draw(st.sampled_from([12, 9, 6, 3, 2, 1, 0]))
    shape = draw(st.sampled_from([(rows, columns)] * 6 + [(), (rows,), (rows, columns, 2)]))
    found = values(rng, draw(st.sampled_from(CONTENTS)), shape) * draw(st.sampled_from(SCALES))
    found = cast(np.asarray(found), draw(st.sampled_from(REAL + WHOLE + ODD)))
    return draw(st.sampled_from([*LAYOUTS.values(), *BENT.values()]))(found)


@st.composite
def things(draw):
    """Anything: mostly arrays of numpy, some of other libraries, and what is no array at all."""
    kind = draw(st.sampled_from(["numpy"] * 6 + ["library"] * 3 + ["thing"]))
    if kind == "thing":
        return draw(st.sampled_from(THINGS))
    found = draw(numbers())
    if kind == "library" and found.dtype.kind in "biuf" and found.dtype != np.longdouble:
        convert = draw(st.sampled_from(list(LIBRARIES.values())))
        try:
            return convert(np.asarray(found))
        except (TypeError, ValueError):  # what the library itself does not hold
            return found
    return found
