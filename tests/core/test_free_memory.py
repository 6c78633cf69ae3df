from samelaw.core import free_memory as limits


def test_room_is_what_is_free(monkeypatch):
    assert 0 < limits.free_memory() < 2**50
    monkeypatch.setattr(limits, "free_memory", lambda: 2.0**31)
    assert limits.room() == 2**30
    monkeypatch.setattr(limits, "free_memory", lambda: 0.0)
    assert limits.room() == limits.LEAST
    monkeypatch.setattr(limits, "free_memory", lambda: float("inf"))
    assert limits.room() == limits.LARGEST


def test_what_a_process_may_take_is_what_the_least_of_its_limits_says(monkeypatch):
    assert 2**27 < limits.machine_memory() < 2**50
    monkeypatch.setattr(limits, "_limit_of_process", lambda: 2.0**28)
    assert limits.machine_memory() == 2.0**28
    assert limits.size_in_words(2.0**28) == "256.0 MiB"
