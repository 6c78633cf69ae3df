"""What may come in, what becomes of it, and what the error says when it may not."""

import math
from decimal import Decimal

import numpy as np
import pytest
from scipy import sparse

import samelaw
from optional import need
from samelaw import Gaussian, rjsd
from samelaw.core.samples import as_matrix, as_samples

X = np.random.default_rng(0).standard_normal((6, 2))
Y = np.random.default_rng(1).standard_normal((4, 2)) + 0.5
KERNEL = Gaussian(1.0)
VALUE = float(rjsd(X, Y, kernel=KERNEL))
HOLE = np.where(np.arange(12).reshape(6, 2) == 3, np.nan, X)


def refused(error, message, x, y, **options):
    with pytest.raises(error, match=message):
        rjsd(x, y, **options)


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (HOLE, ValueError, r"x holds 1 value\(s\) that are NaN or infinite.*Drop or fill"),
        (np.where(X > 1, -np.inf, X), ValueError, "x holds .* NaN or infinite"),
        (X[:0], ValueError, r"x is empty: its shape is \(0, 2\)"),
        (X[:, :0], ValueError, r"x is empty: its shape is \(6, 0\)"),
        ([], ValueError, "x is empty"),
        (X[None], ValueError, r"x has shape \(1, 6, 2\).*x.reshape\(len\(x\), -1\)"),
        (3.0, ValueError, r"x has shape \(\); expected \(rows, columns\)"),
        ([[1.0, 2.0], [3.0]], ValueError, "x is not a rectangular array"),
        ([["a", "b"]], TypeError, "x holds .* values; expected numbers. Encode text"),
        ("file.csv", TypeError, "x holds .* values; expected numbers"),
        (None, TypeError, "x holds NoneType values; expected numbers"),
        (np.array([["a", 1.0]], dtype=object), TypeError, "x holds str values; expected numbers"),
        (X + 1j, TypeError, "x is complex; pass real and imaginary parts as columns"),
        ((X + 1j).tolist(), TypeError, "x is complex; pass real and imaginary parts as columns"),
        ((X + 1j).astype(object), TypeError, "x is complex; pass real and imaginary parts"),
        (X.astype("S5"), TypeError, "x holds .S5 values; expected numbers. Encode text"),
        ([[10**400], [1]], ValueError, "x holds whole numbers beyond 1e308: rescale"),
        (np.ma.masked_greater(X, 1.0), TypeError, "x is a masked array: drop or fill"),
        (X[:, :1], ValueError, "x has 1 columns, y has 2 columns: .* need the same columns"),
        ((X, X[:3]), ValueError, r"the layers of x have \[6, 3\] rows; they must be equal"),
        ((X, X), ValueError, r"x has 2 \+ 2 columns, y has 2 columns"),
    ],
    ids=lambda value: None if isinstance(value, type | str) else type(value).__name__,
)
def test_refusal_names_the_argument_and_the_fix(x, error, message):
    refused(error, message, x, Y)


def test_refusal_names_the_second_argument_too():
    refused(ValueError, r"y holds 1 value\(s\)", Y, HOLE)


@pytest.mark.parametrize(("dtype", "size"), [("float32", 1e25), ("float64", 1e200)])
def test_numbers_whose_squares_overflow_are_refused(dtype, size, to_xp):
    x, y = to_xp(X * size, dtype), to_xp(Y, dtype)
    refused(ValueError, "x holds values up to .* whose squares overflow: rescale", x, y)


@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_unit_of_measurement_does_not_matter(size):
    assert rjsd(X * size, Y * size) == pytest.approx(float(rjsd(X, Y)), rel=1e-6)


def test_layer_with_a_hole_is_named():
    refused(ValueError, r"y\[1\] holds 1 value\(s\)", (X, X), (X, HOLE))


def test_mixed_libraries_are_named():
    torch = pytest.importorskip("torch")
    refused(TypeError, "x is a numpy array, y is a torch array: convert", X, torch.asarray(Y))
    layers = (X, torch.asarray(X))
    refused(TypeError, r"x\[0\] is a numpy array, x\[1\] is a torch array", layers, layers)


def test_complex_tensors_are_refused():
    torch = pytest.importorskip("torch")
    refused(
        TypeError, "x is complex; pass real and imaginary", torch.asarray(X + 1j), torch.asarray(Y)
    )


@pytest.mark.parametrize("kernel", ["gaussian", 1.0, Gaussian])
def test_kernel_that_is_no_kernel_is_refused(kernel):
    refused(TypeError, r"kernel must be an object such as Gaussian\(1.0\)", X, Y, kernel=kernel)


def test_one_kernel_for_several_layers_is_refused():
    refused(
        TypeError,
        "the samples have 2 layers: kernel must be a product",
        (X, X),
        (Y, Y),
        kernel=KERNEL,
    )
    three = KERNEL * KERNEL * KERNEL
    refused(ValueError, "has 2 layers, the product 3 kernels", (X, X), (Y, Y), kernel=three)


@pytest.mark.parametrize("entropy", ["von neumann", 2.5, True, samelaw.VonNeumann, None])
def test_entropy_that_is_no_entropy_is_refused(entropy):
    for function in (
        rjsd,
        samelaw.standard_error,
        samelaw.divergence.contributions,
        samelaw.mutual_information,
    ):
        with pytest.raises(
            TypeError, match=r"entropy must be an Entropy such as PowerSeries\(10\)"
        ):
            function(X[:4], Y, entropy=entropy)


@pytest.mark.parametrize("weights", ["equal", 0, 1, -0.5, math.nan, None, (0.2, 0.3, 0.5), (-1, 2)])
def test_weights_that_make_no_sense_are_refused(weights):
    with pytest.raises((ValueError, TypeError), match="weights"):
        rjsd(X, Y, weights=weights)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((np.ones(5), np.ones(4)), r"sample_weights of x has shape \(5,\); expected \(6,\)"),
        ((np.ones(6), -np.ones(4)), "sample_weights of y must be finite, non-negative"),
        ((np.zeros(6), np.ones(4)), "sample_weights of x must be .* not all zero"),
        ((np.full(6, np.nan), np.ones(4)), "sample_weights of x must be finite"),
        ((["a"] * 6, np.ones(4)), "sample_weights of x must be numbers"),
        (np.ones(6), "sample_weights needs 2 arrays, got 6"),
    ],
)
def test_sample_weights_that_make_no_sense_are_refused(given, message):
    with pytest.raises((ValueError, TypeError), match=message):
        rjsd(X, Y, sample_weights=given)


def test_sample_weights_of_another_library_are_refused():
    torch = pytest.importorskip("torch")
    weights = (torch.ones(6), torch.ones(4))
    refused(TypeError, "sample_weights of x is a torch array", X, Y, sample_weights=weights)


def test_lists_are_read_as_arrays():
    assert rjsd(X.tolist(), Y.tolist(), kernel=KERNEL) == VALUE


def test_vector_is_a_column():
    assert rjsd(X[:, 0], Y[:, 0], kernel=KERNEL) == rjsd(X[:, :1], Y[:, :1], kernel=KERNEL)


def test_subclass_of_an_array_is_read_as_an_array():
    with pytest.warns(PendingDeprecationWarning):
        x, y = np.matrix(X), np.matrix(Y)
    assert rjsd(x, y, kernel=KERNEL) == VALUE


@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool"])
def test_whole_numbers_become_double_precision(dtype, xp, to_xp):
    x, y = (np.abs(np.round(3 * z)) for z in (X, Y))
    expected = rjsd(x.astype(dtype).astype(float), y.astype(dtype).astype(float), kernel=KERNEL)
    value = rjsd(to_xp(x, dtype), to_xp(y, dtype), kernel=KERNEL)
    assert value.dtype == xp.float64
    assert float(value) == pytest.approx(float(expected), abs=1e-12)


def test_half_precision_becomes_single():
    value = rjsd(X.astype(np.float16), Y.astype(np.float16), kernel=KERNEL)
    assert value.dtype == np.float32
    assert value == pytest.approx(VALUE, abs=1e-3)


def test_a_frame_in_half_precision_is_read():
    """Looking for numbers beyond 2⁵³ overflowed: half precision has none."""
    pandas = pytest.importorskip("pandas")
    x, y = (z.astype(np.float16) for z in (X, Y))
    value = rjsd(pandas.DataFrame(x), pandas.DataFrame(y), kernel=KERNEL)
    assert value == rjsd(x, y, kernel=KERNEL)


def test_brain_floats_become_single():
    torch = pytest.importorskip("torch")
    value = rjsd(*(torch.asarray(z).bfloat16() for z in (X, Y)), kernel=KERNEL)
    assert value.dtype == torch.float32
    assert float(value) == pytest.approx(VALUE, abs=1e-2)


def test_two_precisions_meet_in_the_wider(xp, to_xp):
    value = rjsd(to_xp(X, "float32"), to_xp(Y), kernel=KERNEL)
    assert value.dtype == xp.float64


def test_result_belongs_to_the_library_of_the_samples(xp, to_xp):
    value = rjsd(to_xp(X), to_xp(Y))
    assert value.shape == ()
    assert type(value) is type(xp.sum(to_xp(X))) or isinstance(value, np.generic)


def test_input_is_left_alone(to_xp, to_numpy):
    x, y = to_xp(X), to_xp(Y)
    rjsd(x, y, entropy=samelaw.PowerSeries(3))
    np.testing.assert_array_equal(to_numpy(x), X)
    np.testing.assert_array_equal(to_numpy(y), Y)


def test_data_frames_are_read_as_arrays():
    pandas = pytest.importorskip("pandas")
    assert rjsd(pandas.DataFrame(X), pandas.DataFrame(Y), kernel=KERNEL) == VALUE
    with pytest.raises(TypeError, match="column a of x holds str values; expected numbers"):
        rjsd(pandas.DataFrame({"a": ["u", 1]}), pandas.DataFrame({"a": [1, 2]}))


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 50), (50, 1), (5, 500)])
def test_unequal_sizes_give_a_value_within_the_bounds(n, m):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((n, 2)), rng.standard_normal((m, 2))
    share = n / (n + m)
    ceiling = -share * math.log(share) - (1 - share) * math.log(1 - share)
    for entropy in (samelaw.VonNeumann(), samelaw.PowerSeries(10)):
        assert -1e-12 <= rjsd(x, y, entropy=entropy) <= ceiling + 1e-12


def test_two_single_points_are_as_far_apart_as_their_kernel_says():
    """Eigenvalues of the pool are (1 ± κ)/2."""
    x, y = np.array([[0.0]]), np.array([[1.0]])
    top = (1 + math.exp(-0.5)) / 2
    expected = -top * math.log(top) - (1 - top) * math.log(1 - top)
    assert rjsd(x, y, kernel=KERNEL) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("sample", [X, X[:1], np.ones((5, 3)), np.zeros(4)])
def test_identical_and_constant_samples_are_at_distance_zero(sample):
    for entropy in (samelaw.VonNeumann(), samelaw.PowerSeries(1), samelaw.PowerSeries(10)):
        assert abs(rjsd(sample, sample, entropy=entropy)) < 1e-13


def test_constant_column_changes_nothing():
    padded = [np.concatenate([z, np.full((len(z), 1), 7.0)], axis=1) for z in (X, Y)]
    assert rjsd(*padded) == pytest.approx(float(rjsd(X, Y)), abs=1e-12)


def test_abstract_values_need_a_kernel():
    jax = pytest.importorskip("jax")
    x, y = jax.numpy.asarray(X), jax.numpy.asarray(Y)
    compiled = jax.jit(lambda a, b: rjsd(a, b, kernel=KERNEL))
    assert float(compiled(x, y)) == pytest.approx(VALUE, abs=1e-12)
    with pytest.raises(TypeError, match=r"inside jax.jit.*pass kernel="):
        jax.jit(rjsd)(x, y)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_frames_are_matched_by_name(library):
    frames = pytest.importorskip(library)
    rows = np.random.default_rng(0).normal(size=(5, 2))
    x = frames.DataFrame({"a": rows[:, 0], "b": rows[:, 1]})
    y = frames.DataFrame({"b": rows[:, 1], "a": rows[:, 0]})
    first, second = as_samples(x=x, y=y)
    np.testing.assert_array_equal(first, second)
    third = frames.DataFrame({"a": rows[:, 0], "c": rows[:, 1]})
    with pytest.raises(ValueError, match="x has the columns a, b and y has a, c"):
        as_samples(x=x, y=third)
    as_samples(x=rows, y=third)  # an array has no names


def test_mere_numbers_of_columns_are_no_names():
    pandas = pytest.importorskip("pandas")
    as_samples(x=pandas.DataFrame(np.eye(2)), y=pandas.DataFrame(np.eye(2), columns=["a", "b"]))


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_whole_numbers_that_floats_cannot_tell_apart_are_refused(dtype):
    close = dtype(2**60) + np.arange(50, dtype=dtype)
    with pytest.raises(ValueError, match="closer to each other than floats can tell"):
        as_samples(x=close)
    as_samples(x=close - dtype(2**60), y=np.full(3, 2**60))  # all digits are there
    as_samples(x=np.random.default_rng(0).integers(17 * 10**17, 18 * 10**17, 50))  # nanoseconds


def test_a_sparse_matrix_is_refused_by_its_name():
    for make in (sparse.csr_matrix, sparse.coo_array):
        with pytest.raises(TypeError, match=r"x is a sparse .* not supported: use \.toarray"):
            as_matrix("x", make(np.eye(3)))


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("layout", ["to_sparse", "to_sparse_csr", "to_sparse_csc"])
def test_a_sparse_tensor_is_refused_by_its_name(layout):
    torch = need("torch")
    with pytest.raises(TypeError, match=r"x is a sparse Tensor, .* use \.to_dense"):
        as_matrix("x", getattr(torch.eye(3), layout)())


FRAMES = {
    "pandas of pyarrow": lambda pd: pd.DataFrame(X, columns=["u", "v"]).astype("float64[pyarrow]"),
    "pandas with its own missing values": lambda pd: pd.DataFrame(X).astype("Float64"),
    "decimals": lambda pd: pd.DataFrame(X).map(lambda value: Decimal(repr(float(value)))),
    "objects": lambda pd: X.astype(object),
    "a matrix": lambda pd: np.matrix(X),
    "lists": lambda pd: X.tolist(),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_numbers_held_as_objects_are_numbers(frame):
    assert rjsd(frame(pytest.importorskip("pandas")), Y, kernel=KERNEL) == VALUE


def test_flags_beside_numbers_are_numbers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"u": X[:, 0], "flag": X[:, 1] > 0})
    (found,) = as_samples(x=frame)
    np.testing.assert_array_equal(found, np.stack([X[:, 0], X[:, 1] > 0], axis=1))


def test_missing_values_among_objects_are_refused_as_missing():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X).astype("Float64")
    frame.iloc[2, 1] = pandas.NA
    with pytest.raises(ValueError, match=r"x holds 1 value\(s\) that are NaN"):
        as_samples(x=frame)


def test_columns_of_arrow_tables_are_matched_by_their_names():
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"u": X[:, 0], "v": X[:, 1]})
    turned = arrow.table({"v": X[:, 1], "u": X[:, 0]})
    first, second = as_samples(x=table, y=turned)
    np.testing.assert_array_equal(first, second)


def test_a_frame_without_rows_yet_is_told_how_to_get_them():
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match=r"x is a LazyFrame, .* pass x.collect\(\)"):
        as_samples(x=polars.DataFrame(X).lazy())


@pytest.mark.parametrize("number", [Decimal, int])
def test_objects_that_floats_cannot_tell_apart_are_refused(number):
    close = [number(2**60 + k) for k in range(50)]
    with pytest.raises(
        ValueError, match=r"x holds whole numbers .* closer .* than floats can tell"
    ):
        as_samples(x=close)
    as_samples(x=[number(2**60)] * 3, y=[number(2) ** 60, number(0), number(1)])


def test_narrow_floats_of_any_library_are_numbers():
    narrow = pytest.importorskip("ml_dtypes").bfloat16
    (found,) = as_samples(x=X.astype(narrow))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, X, rtol=0.01)


def test_the_way_to_rows_is_code_that_runs():
    """A name such as "sample 0" is no variable."""
    with pytest.raises(ValueError, match=r"pass array.reshape\(len\(array\), -1\) of each"):
        samelaw.k_sample_test([X[None], X[None]])


@pytest.mark.parametrize("call", [samelaw.two_sample_test, samelaw.rjsd, samelaw.compare])
def test_tensors_without_values_are_refused_in_words(call):
    meta = pytest.importorskip("torch").empty(10, 2, device="meta")
    with pytest.raises(TypeError, match=r"without values|abstract"):
        call(meta, meta)


def test_a_test_within_jit_is_refused_in_words():
    jax = pytest.importorskip("jax")
    with pytest.raises(TypeError, match="without values came in"):
        jax.jit(lambda x: samelaw.two_sample_test(x, x, rng=0).pvalue)(jax.numpy.asarray(X))


def pairs_of_keys():
    return np.tile([0, 2**60], 50), np.tile([0, 2**60 + 1], 50)


@pytest.mark.parametrize(
    "held",
    [
        np.asarray,
        np.ndarray.tolist,
        lambda keys: keys.astype(object),
        lambda keys: need("torch").tensor(keys),
        lambda keys: need("pandas").DataFrame({"key": keys, "share": 0.5}),
        lambda keys: need("polars").DataFrame({"key": keys, "share": [0.5] * 100}),
        lambda keys: need("pyarrow").table({"key": keys, "share": [0.5] * 100}),
    ],
)
def test_whole_numbers_that_become_those_of_the_other_sample_are_refused(held):
    x, y = map(held, pairs_of_keys())
    as_samples(x=x), as_samples(x=y)
    with pytest.raises(ValueError, match=r"the pool of x and y holds whole numbers .* floats can"):
        as_samples(x=x, y=y)


def test_a_frame_of_large_whole_numbers_beside_fractions_is_looked_at_by_columns():
    pandas = need("pandas")
    keys = pandas.DataFrame({"share": 0.5, "key": 2**60 + np.arange(50)})
    with pytest.raises(ValueError, match=r"column key of x holds whole numbers up to 1.15292e"):
        as_samples(x=keys)
