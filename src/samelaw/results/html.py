"""Elements of HTML for notebooks; whatever is text is escaped."""

from html import escape

from samelaw.results.escape_controls import legible


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: str) -> Html:
    """An element; children that are no `Html` are text.

    Examples
    --------
    >>> element("p", "a < b", element("b", "now"), style="color:red")
    '<p style="color:red">a &lt; b<b>now</b></p>'
    """
    inside = "".join(child if isinstance(child, Html) else _text(child) for child in children)
    given = "".join(f' {key}="{_text(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{given}>{inside}</{name}>")


def _text(value: str) -> str:
    return escape(legible(value))
