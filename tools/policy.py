"""A content security policy for a page of the book: the browser runs its own scripts alone.

What it holds to: nothing is loaded from elsewhere, no text becomes a script, and nothing is
sent anywhere. Each inline script is named by its hash, also in the pages of live views, which
are under the policy of the page around them.
"""

import base64
import hashlib
import html
from html.parser import HTMLParser

CHARSET = '<meta charset="utf-8" />'
OWN = "'self' file:"  # file: is the book opened from disk
DIRECTIVES = {
    "default-src": "'none'",
    "script-src": f"{OWN} 'wasm-unsafe-eval' {{hashes}}",
    "style-src": f"{OWN} 'unsafe-inline'",  # widths of bars, colors of cells
    "img-src": f"{OWN} data: blob:",
    "font-src": f"{OWN} data:",
    "connect-src": "'self'",  # the search shows where a word was found
    "worker-src": "blob:",  # the model
    "frame-src": "about:",  # live views: srcdoc
    "form-action": OWN,  # the search
    "base-uri": "'none'",
}


class _Scripts(HTMLParser):
    """The inline scripts of a page, also of the pages in its frames, and its handlers."""

    def __init__(self, page: str):
        super().__init__()
        self.inline: list[str] = []
        self.handlers: list[str] = []
        self.inside = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.inside = tag == "script" and "src" not in given
        if self.inside:
            self.inline.append("")
        self.handlers += [name for name in given if name.startswith("on")]
        if srcdoc := given.get("srcdoc"):
            inner = _Scripts(srcdoc)
            self.inline += inner.inline
            self.handlers += inner.handlers

    def handle_data(self, data):
        if self.inside:
            self.inline[-1] += data  # it may come in parts

    def handle_endtag(self, tag):
        self.inside = False


def policy(page: str) -> str:
    """The policy of a page; ValueError where an attribute of it is a script."""
    found = _Scripts(page)
    if found.handlers:
        raise ValueError(f"a page has {found.handlers[0]}=...: the policy would not run it")
    hashes = " ".join(dict.fromkeys(map(hash_of, found.inline)))
    return "; ".join(f"{name} {d.format(hashes=hashes)}" for name, d in DIRECTIVES.items())


def hash_of(script: str) -> str:
    """How a policy names an inline script."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def with_policy(page: str) -> str:
    """The page with its policy, before anything that it could forbid."""
    if page.count(CHARSET) != 1:
        raise ValueError(f"a page has {page.count(CHARSET)} {CHARSET}, it must be one")
    content = html.escape(policy(page), quote=True)
    policies = (
        f'<meta http-equiv="Content-Security-Policy" content="{content}">'
        '<meta name="referrer" content="no-referrer">'
    )
    return page.replace(CHARSET, CHARSET + policies)
