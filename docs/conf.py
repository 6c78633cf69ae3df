"""Sphinx settings; a test holds the names on the API page to those that are public."""

import sys
from importlib import metadata
from pathlib import Path

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
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navbar_persistent": [],
    "navbar_end": ["search-button", "theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
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
    "write_computation_times": False,  # its page asks for scripts elsewhere
}
# The page of times asks for scripts elsewhere.
exclude_patterns = ["generated/benchmarks.md", "**sg_execution_times.rst"]
