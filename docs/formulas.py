"""Formulas as MathML, written when the pages are built: they show without a network or a script."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx


def mathml(latex: str, display: str) -> str:
    """The formula as a MathML element."""
    return convert(latex, display=display)


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
