"""Elements: text is escaped, markup is not escaped twice."""

from samelaw.results.result import Html, element


def test_text_and_attributes_are_escaped_and_markup_is_kept():
    inner = element("b", "<script>", title='a "b"')
    assert inner == '<b title="a &quot;b&quot;">&lt;script&gt;</b>'
    assert element("p", inner, " & ", Html("<br>")) == f"<p>{inner} &amp; <br></p>"


def test_controls_are_written_out():
    assert element("p", "red\x1b[2J") == "<p>red\\x1b[2J</p>"
