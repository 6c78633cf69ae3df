from samelaw.cli import exit_codes


def test_a_crash_never_looks_like_a_verdict():
    """The codes are a promise to scripts: 0 and 1 are answers, nothing else is."""
    codes = {name: value for name, value in vars(exit_codes).items() if name.isupper()}
    assert codes == {"NO_DIFFERENCE": 0, "DIFFERENT": 1, "ERROR": 2, "INTERRUPTED": 130}
