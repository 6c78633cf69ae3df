"""What the doctor sees and says."""


def test_doctor_says_what_is_there_and_what_is_missing(samelaw, monkeypatch):
    code, out, _ = samelaw("doctor")
    assert code == 0
    for part in ("Python", "cores:", "[x] base: ", "[x] cli: ", "BLAS threads"):
        assert part in out
    from samelaw.cli import doctor

    needed = {"base": ("numpy",), "torch": ("no-such-package",)}
    monkeypatch.setattr(doctor, "requirements_of", lambda package: needed)
    line = next(line for line in doctor.examine() if "no-such-package" in line)
    assert line == (
        "[ ] torch: no-such-package missing, for losses and deep kernels; "
        "run: pip install 'samelaw[torch]'"
    )


def test_doctor_warns_when_threads_cost_more_than_they_help(monkeypatch):
    from samelaw.cli import doctor

    times = iter([20.0, 1.0])
    monkeypatch.setattr(doctor, "_time", lambda environment: next(times))
    warning = doctor._threads()[-1]
    assert "slow small matrices down, here 20 times" in warning
    assert "export OMP_NUM_THREADS=1" in warning


def test_every_part_that_people_install_has_its_line():
    from samelaw.cli import doctor
    from samelaw.core.version import requirements_of

    parts = set(requirements_of("samelaw")) - {"all", "dev", "docs"}
    assert parts == set(doctor.FOR)


def test_a_folder_that_was_never_installed_says_so(monkeypatch):
    from samelaw.cli import doctor

    monkeypatch.setattr(doctor, "requirements_of", lambda package: {})
    assert any("as samelaw is not installed" in line for line in doctor.examine())
