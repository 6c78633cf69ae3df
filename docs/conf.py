"""Sphinx settings; the list of the API page is written from ``samelaw.__all__``."""

import inspect
from importlib import metadata
from pathlib import Path
from types import ModuleType

import samelaw

project = "samelaw"
author = copyright = "the samelaw developers"
release = metadata.version("samelaw")
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["dollarmath"]
exclude_patterns = ["_names.rst"]
html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_prev_next": False, "secondary_sidebar_items": ["page-toc"]}
html_show_sourcelink = False

autosummary_generate = ["_names.rst"]
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "ignore_pattern": r"(make_data|lightning_adaptation)\.py",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
}


def tables_of(module: ModuleType) -> list[str]:
    """The public functions and classes of a module, as tables of links."""
    things = {name: getattr(module, name) for name in module.__all__}
    tables = {
        "Functions": [name for name, thing in things.items() if inspect.isroutine(thing)],
        "Classes": [name for name, thing in things.items() if inspect.isclass(thing)],
    }
    lines = [f".. currentmodule:: {module.__name__}", ""]
    for title, names in tables.items():
        lines += [f".. rubric:: {title}", "", ".. autosummary::", "   :toctree: generated", ""]
        lines += [*(f"   {name}" for name in names), ""]
    return lines


def write_names() -> None:
    """Write what api.md includes."""
    learning = [".. rubric:: samelaw.learn, with the extra ``torch``", ""]
    critics = tables_of(samelaw.learn.critics)
    lines = [*tables_of(samelaw), *learning, *tables_of(samelaw.learn), *critics]
    Path(__file__).with_name("_names.rst").write_text("\n".join(lines))


write_names()
