"""The content security policy of the book's pages: all their own scripts, and nothing else."""

import base64
import hashlib
import html
import re

import pytest

from tools import policy

HEAD = f'<html><head>{policy.CHARSET}<script>one("<a>", 1 && 2)</script>'
INNER = '<script type="module">const text = "<\\/b>é";</script>'
PAGE = f'{HEAD}<script src="x.js"></script></head><body><iframe srcdoc="{{}}"></iframe></body>'


def named(script):
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def directives(page):
    [content] = re.findall(
        r'Content-Security-Policy" content="(.*?)"', policy.with_policy(page)
    )
    return dict(d.split(" ", 1) for d in html.unescape(content).split("; "))


def test_every_script_of_a_page_and_of_its_frames_is_named():
    given = directives(PAGE.format(html.escape(INNER, quote=True)))
    scripts = ['one("<a>", 1 && 2)', 'const text = "<\\/b>é";']
    named_ones = [source for source in given["script-src"].split() if "sha256" in source]
    assert named_ones == [named(script) for script in scripts]
    assert "'unsafe-inline'" not in given["script-src"]
    assert "'unsafe-eval'" not in given["script-src"]


def test_nothing_remote_is_allowed():
    sources = " ".join(directives(PAGE.format("")).values()).split()
    keywords = {"'self'", "'none'", "'unsafe-inline'", "'wasm-unsafe-eval'"}
    schemes = {"file:", "data:", "blob:", "about:"}
    assert {s for s in sources if "sha256" not in s} <= keywords | schemes


def test_the_policy_is_there_before_what_it_is_about():
    page = policy.with_policy(PAGE.format(""))
    assert page.index("Content-Security-Policy") < page.index("<script")
    assert page.index(policy.CHARSET) < 1000


@pytest.mark.parametrize("inner", ["<p onclick='go()'>", "<iframe srcdoc='<b onload=go()>'>"])
def test_a_handler_that_the_policy_would_not_run_is_refused(inner):
    with pytest.raises(ValueError, match="a page has on(click|load)="):
        policy.policy(PAGE.format(html.escape(inner, quote=True)))


def test_a_page_without_its_place_is_refused():
    with pytest.raises(ValueError, match="a page has 0 <meta"):
        policy.with_policy("<html><head></head></html>")
