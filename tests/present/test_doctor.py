"""What the doctor sees and says."""


def test_doctor_says_what_is_there_and_what_is_missing(samelaw, monkeypatch):
    code, out, _ = samelaw("doctor")
    assert code == 0
    for part in ("Python", "cores:", "[x] base: numpy", "[x] cli: typer", "BLAS threads"):
        assert part in out
    from samelaw.present import doctor

    monkeypatch.setitem(doctor.PARTS, "torch", ("no-such-package",))
    line = next(line for line in doctor.examine() if "no-such-package" in line)
    assert line == (
        "[ ] torch: no-such-package missing, for losses and deep kernels; "
        "run: pip install 'samelaw[torch]'"
    )


def test_doctor_warns_when_threads_cost_more_than_they_help(monkeypatch):
    from samelaw.present import doctor

    times = iter([20.0, 1.0])
    monkeypatch.setattr(doctor, "_time", lambda environment: next(times))
    warning = doctor._threads()[-1]
    assert "slow small matrices down, here 20 times" in warning
    assert "export OMP_NUM_THREADS=1" in warning
