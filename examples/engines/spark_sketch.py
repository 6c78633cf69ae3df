"""Two tables of a Spark cluster compared by sketches: partitions are summed where they are.

Every worker adds the features of its rows up in random blocks, only sums travel, and the driver
adds them in the order of the rows. Rows are known by a number (here that of `range`; of files,
``zipWithIndex``), so that it does not matter which worker meets them, or how often.

    python spark_sketch.py    # needs pyspark, pyarrow and Java 17
"""

import os
import sys
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from samelaw import Gaussian
from samelaw.divergence import Deal, DealtSketch
from samelaw.kernels import FourierFeatures, draw_frequencies
from samelaw.testing import sketch_test

COLUMNS = ["amount", "minutes"]
SUMS = pa.schema([("first", pa.int64()), ("totals", pa.binary()), ("counts", pa.binary())])


def sketched(frame: DataFrame, empty: DealtSketch) -> DealtSketch:
    """The sums of all partitions, added in the order of their rows."""

    def of_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if some := [batch for batch in batches if batch.num_rows]:
            rows = pa.Table.from_batches(some)
            numbers = rows["row"].to_numpy()
            points = np.column_stack([rows[name].to_numpy() for name in COLUMNS])
            part = empty.update(points, numbers)
            sums = [int(numbers.min()), part.totals.tobytes(), part.counts.tobytes()]
            named = dict(zip(SUMS.names, sums, strict=True))
            yield pa.RecordBatch.from_pylist([named], schema=SUMS)

    whole = empty
    sums = frame.mapInArrow(of_partition, "first long, totals binary, counts binary")
    for line in sorted(sums.collect(), key=lambda line: line["first"]):
        totals = np.frombuffer(line["totals"]).reshape(empty.totals.shape)
        counts = np.frombuffer(line["counts"], dtype=np.int64)
        whole += DealtSketch(empty.feature_map, empty.deal, totals, counts)
    return whole


def in_one_process(frame: DataFrame, empty: DealtSketch, parts: int) -> DealtSketch:
    """The same here: to the last bit, as sums are taken over the same parts in the same order."""
    rows = frame.toPandas().sort_values("row")
    whole = empty
    for some in np.array_split(np.arange(len(rows)), parts):
        part = rows.iloc[some]
        whole += empty.update(part[COLUMNS].to_numpy(), part["row"].to_numpy())
    return whole


def main() -> None:
    """Compare two tables that differ in the dependence of their columns alone."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers, where samelaw is installed
    settings = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1"}
    builder = SparkSession.builder.master("local[2]").appName("samelaw")
    spark = builder.config(map=settings).getOrCreate()
    features = FourierFeatures(draw_frequencies(Gaussian(2.0), dimension=2, count=16, rng=0))
    sides = []
    for seed, share in ((1, 0.0), (2, 0.5)):
        amount = F.randn(seed=seed)
        other = F.randn(seed=seed + 10)
        frame = spark.range(0, 20_000, numPartitions=4).select(
            F.col("id").alias("row"),
            amount.alias("amount"),
            (share * amount + (1 - share**2) ** 0.5 * other).alias("minutes"),
        )
        empty = DealtSketch.empty(features, Deal(rows=20_000, block=200, seed=seed))
        found = sketched(frame, empty)
        assert np.array_equal(found.totals, in_one_process(frame, empty, 4).totals)
        sides.append(found.whole())
    result = sketch_test(*sides, rng=0)
    print(result)
    assert result.reject
    spark.stop()


if __name__ == "__main__":
    main()
