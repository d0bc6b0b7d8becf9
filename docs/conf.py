"""The site of `make docs`: the documents here, with a search, a dark side, and the Python interface."""

from outflank import __version__

project, release = "Outflank", __version__
copyright = "the authors of Outflank, MIT licence"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_external_toc"]
external_toc_path = "_toc.yml"
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "Outflank"
html_logo = "board.svg"
default_role = "code"
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False  # those of other projects are in a form of their own
# Links out of this folder, to examples and code, are those of the repository.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]
