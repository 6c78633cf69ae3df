from samelaw.data import limits


def test_room_is_what_is_free(monkeypatch):
    assert 0 < limits.free_memory() < 2**50
    monkeypatch.setattr(limits, "free_memory", lambda: 2.0**31)
    assert limits.room() == 2**30
    monkeypatch.setattr(limits, "free_memory", lambda: 0.0)
    assert limits.room() == limits.LEAST
    monkeypatch.setattr(limits, "free_memory", lambda: float("inf"))
    assert limits.room() == limits.LARGEST
