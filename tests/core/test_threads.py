"""Threads of the BLAS are limited for small samples only, and put back."""

from threadpoolctl import ThreadpoolController

from samelaw.core import threads


def counts():
    return [
        lib["num_threads"] for lib in ThreadpoolController().info() if lib["user_api"] == "blas"
    ]


def test_small_samples_get_one_thread_and_leave_the_others_as_they_were():
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        before = counts()
        with threads.fitting(100):
            assert set(counts()) == {1}
        assert counts() == before
        with threads.fitting(10 * threads.SMALL):
            assert counts() == before
