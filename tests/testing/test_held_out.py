"""Learning and testing on different rows: none is in both, and what was learnt is used."""

import numpy as np

from samelaw import Gaussian, two_sample_test
from samelaw.testing.held_out import Learnt, held_out_test


class Watch:
    """A strategy that keeps what it saw."""

    def __init__(self, share=0.5):
        self.share, self.seen, self.tested = share, None, None

    def decide(self, problem):
        def learn(x, y):
            self.seen = np.concatenate([x, y])
            return Learnt(Gaussian(1.0), self.transform, {"learnt": "a mark"})

        return held_out_test(
            problem, learn, share=self.share, entropy=3, mmd=False, name="Watch", strategy="w"
        )

    def transform(self, rows):
        self.tested = rows.copy()
        return rows


def test_no_row_is_learnt_from_and_tested():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 1)), rng.normal(size=(20, 1))
    watch = Watch(0.25)
    found = two_sample_test(x, y, strategy=watch, permutations=19, rng=0)
    assert (len(watch.seen), len(watch.tested)) == (15, 45)
    both = np.sort(np.concatenate([watch.seen, watch.tested]), axis=0)
    np.testing.assert_array_equal(both, np.sort(np.concatenate([x, y]), axis=0))
    assert found.settings["learnt"] == "a mark"
    assert found.sizes == (40, 20)
    assert found.method.startswith("Watch learnt on 10 v 5 rows")
