"""The settings of the documentation site: `make docs` runs Sphinx with them. Decision 12 says why it is Sphinx."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

project = "Leadline"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["notebooks"]
suppress_warnings = ["ref.python"]  # a name such as `Query` is exported by a room and by its module
html_theme = "furo"
html_title = "Leadline"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False

myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 4

highlight_language = "text"
# Only the commands of a block with output are copied.
copybutton_prompt_text = "$ "

# Docstrings name code between single backquotes.
default_role = "code"
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
python_display_short_literal_types = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
