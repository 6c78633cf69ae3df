from samelaw.core.registry import members, register


def test_class_joins_its_family_under_its_own_name():
    @register("family of this test")
    class Member:
        pass

    assert members("family of this test") == {"Member": Member}


def test_unknown_family_is_empty():
    assert members("no such family") == {}


def test_answer_is_a_copy():
    members("kernel").clear()
    import samelaw

    assert samelaw.Gaussian in members("kernel").values()


def test_every_member_is_public():
    import samelaw

    for name in samelaw.__all__:  # type: ignore[attr-defined]
        getattr(samelaw, name)
    topics = (samelaw, samelaw.kernels, samelaw.testing, samelaw.kernels)
    public = {name for topic in topics for name in topic.__all__}
    for family in ("kernel", "entropy", "feature map", "estimator", "strategy", "statistic"):
        assert set(members(family)) <= public
