"""Formulas as MathML, written when the pages are built: they show without a network or a script."""

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

NAMED = re.compile(r"<(mi|mo)>([A-Za-z]{2,})</\1>")
"""Functions by name, such as log: without space they run into what they are of."""


def mathml(latex: str, display: str) -> str:
    """The formula as a MathML element."""
    spaced = r'<mo form="prefix" lspace="0.17em" rspace="0.17em">\2</mo>'
    return NAMED.sub(spaced, convert(latex, display=display))


def inline(visitor: Any, node: nodes.math) -> None:
    visitor.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def block(visitor: Any, node: nodes.math_block) -> None:
    formula = mathml(node.astext(), "block")
    visitor.body.append(visitor.starttag(node, "div", CLASS="formula") + f"{formula}</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
