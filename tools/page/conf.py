"""Sphinx's settings for the book that tools/site.py builds: nothing in it is remote."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for extension.py

project = "GPT-1, taught and built exactly"
language = "en"
extensions = ["myst_nb", "extension"]
smartquotes = False

nb_execution_mode = "off"
nb_ipywidgets_js: dict = {}  # from a CDN; an explorer is a page of its own
nb_code_prompt_hide = "Fold again"
nb_merge_streams = True
nb_render_markdown_format = "myst"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
myst_heading_slug_func = "extension.anchor"
html_math_renderer = "mathml"

html_theme = "sphinx_book_theme"
html_title = project
html_css_files = ["book.css"]
html_js_files = ["engine.js", "book.js"]
html_copy_source = html_show_sourcelink = html_use_index = False
html_show_copyright = html_show_sphinx = False
html_permalinks_icon = "#"
html_context = {"default_mode": "auto"}
html_theme_options = {
    "use_download_button": False,
    "use_fullscreen_button": False,
    "navbar_start": [],
    "navbar_end": [],
    "navbar_persistent": [],
    "footer_content_items": [],
    "collapse_navbar": True,  # the pages of the library only beside one of them
    "search_bar_text": "Search the book",
    "show_toc_level": 2,
    "toc_title": "On this page",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
