"""Sphinx settings; a test holds the names on the API page to those that are public."""

from importlib import metadata

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
html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_prev_next": False, "secondary_sidebar_items": ["page-toc"]}
html_show_sourcelink = False

autosummary_generate = ["api.md"]
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
