"""Sphinx settings; a test holds the names on the API page to those that are public."""

import inspect
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.inspect import stringify_signature

sys.path.insert(0, str(Path(__file__).parent))  # formulas, measured, outputs

project = "samelaw"
author = copyright = "the samelaw developers"
release = metadata.version("samelaw")
extensions = [
    "formulas",
    "measured",
    "outputs",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["colon_fence", "dollarmath"]
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "samelaw"
html_static_path = ["_static"]
templates_path = ["_templates"]  # names without their module: the column beside is narrow
html_css_files = ["samelaw.css"]
html_theme_options = {
    "show_prev_next": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navbar_persistent": [],
    "navbar_end": ["search-button", "theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_show_sourcelink = False


def of_torch() -> list[str]:
    """What every module and metric has: pages name what a class of ours has of its own."""
    from torch.nn import Module
    from torchmetrics import Metric

    every = {*dir(Module), *dir(Metric), "training"}
    return sorted(every - {"compute", "plot", "reset", "update"})


autosummary_generate = ["api.md"]
autosummary_context = {"of_torch": of_torch()}
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "ignore_pattern": r"(make_data|lightning_adaptation)\.py",
    "download_all_examples": False,
    "capture_repr": (),  # what an example shows it prints: no "<Legend object at 0x7f…>"
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,  # its page asks for scripts elsewhere
}
# The page of times asks for scripts elsewhere.
exclude_patterns = ["generated/benchmarks.md", "**sg_execution_times.rst"]

LONGEST = 60
"""Characters of a default value in a signature; longer ones are told in the text."""


class _Told:
    def __repr__(self) -> str:
        return "…"


def shorten(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: Any
) -> tuple[str, Any] | None:
    """Long default values of a signature become an ellipsis."""
    if what != "class" or signature is None or len(signature) < 5 * LONGEST:
        return None
    found = inspect.signature(obj)
    short = [
        one.replace(default=_Told()) if len(repr(one.default)) > LONGEST else one
        for one in found.parameters.values()
    ]
    told = found.replace(parameters=short, return_annotation=found.empty)
    return stringify_signature(told, unqualified_typehints=True), returns


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-signature", shorten)
