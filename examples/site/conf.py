"""Settings of Sphinx for the documentation site. examples/site.sh calls Sphinx.

The source folder is the whole project, so that every page has the path of its file.
"""

import os
import re
from pathlib import PurePosixPath

from docutils import nodes
from sphinx import addnodes

project = "Hearsay"
author = "the authors of Hearsay"
extensions = ["myst_parser", "sphinx.ext.graphviz", "sphinx_copybutton"]
include_patterns = ["*.md", "**/*.md"]
exclude_patterns = ["build*/**", ".*/**", "**/node_modules/**", "sdk/bindings/python/build/**"]
root_doc = "examples/site/index"
FOLDERS = "examples/site/folders"
nitpicky = True

myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
highlight_language = "none"
graphviz_output_format = "svg"

# A button copies commands and files, but not what the commands print.
copybutton_selector = "div:not(.highlight-text) > div.highlight > pre"

html_theme = "furo"
html_title = "Hearsay"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["entry"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

PUBLIC_HEADER = re.compile(r"(?:^|/)(?:common|sdk)/include/hearsay/([a-z_]+)\.h$")


def reference_page(header):
    """Returns the name of Doxygen's page of a public header."""
    return f"{header.replace('_', '__')}_8h.html"


def link_headers(app, document):
    """Makes links to public headers lead to the reference instead of the file's text."""
    folder = PurePosixPath(app.env.docname).parent
    for node in list(document.findall(addnodes.download_reference)):
        target = os.path.normpath(folder / node["reftarget"])
        header = PUBLIC_HEADER.search(target)
        if header:
            up = "../" * len(folder.parts)
            link = nodes.reference("", "", refuri=f"{up}reference/{reference_page(header[1])}", internal=True)
            link += node.children
            node.replace_self(link)


def name_pages(app, document, page):
    """Gives a link that shows a file's name the title of that page. Adds folders' paths to the page of folders."""
    titles = app.env.titles
    for node in document.findall(nodes.reference):
        target = node.get("refuri", "").split("#")[0]
        name = os.path.normpath(PurePosixPath(page).parent / target.removesuffix(".html"))
        if node.astext().endswith(".md") and name in titles:
            node.children = [nodes.Text(titles[name].astext())]
    if page == FOLDERS:
        for tree in document.findall(addnodes.toctree):
            tree["entries"] = [(with_path(titles[name].astext(), name), name) for _, name in tree["entries"]]


def with_path(title, page):
    """Returns the title of a page, after the path of its folder unless the title begins with this path."""
    folder = os.path.dirname(page) or "the project"
    return title if title.startswith(folder) else f"{folder}: {title}"


def setup(app):
    # Runs before Sphinx collects the files to copy (priority 500).
    app.connect("doctree-read", link_headers, priority=100)
    app.connect("doctree-resolved", name_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
