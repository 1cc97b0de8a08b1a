"""An explorer as a page of its own, live without a kernel: for slides and tests.

It carries its arrays. What asks the model (a new prompt) is answered where the page, or the
one around it, has an engine with that model; else it stays as it is.
"""

import base64
import html
import json

import anywidget

TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<title>{title}</title>
<style>body {{ margin: 16px; color-scheme: {theme}; background: {paper}; }}
{css}</style></head>
<body><div id="here"></div>
<script type="module">
{script}
const code = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const arrays = {arrays};
for (const k in arrays) arrays[k] = new DataView(code(arrays[k]).buffer);
const model = {{
  still: {still},
  state: {{ ...{state}, ...arrays }}, seen: {{}},
  get(k) {{ return this.state[k]; }},
  set(k, v) {{ this.take({{ [k]: v }}); }},
  take(traits) {{  // all of them, before any is told
    Object.assign(this.state, traits);
    for (const k in traits) for (const f of this.seen["change:" + k] || []) f();
  }},
  on(e, f) {{ (this.seen[e] ||= []).push(f); }},
  off(e, f) {{ this.seen[e] = this.seen[e].filter(g => g !== f); }},
  save_changes() {{}},
}};
window.model = model;
globalThis.gpt1 ??= parent.gpt1;
gpt1View.default.render({{ model, el: document.querySelector("#here") }});
</script></body></html>
"""


PAPER = {"light": "#fff", "dark": "#111"}


def page(explorer: anywidget.AnyWidget, still: bool = False, theme: str = "light") -> str:
    """HTML that shows the explorer and needs nothing else.

    still: what would ask the model is turned off, for readers; tests leave it on.
    theme: light or dark, whatever the system prefers: a page around it has its own paper.
    """
    traits = explorer.trait_values(sync=True)
    ipywidgets_own = {"layout", "tabbable", "tooltip"}
    names = sorted({n for n in traits if not n.startswith("_")} - ipywidgets_own)
    values = {name: traits[name] for name in names}
    arrays = {k: v for k, v in values.items() if isinstance(v, bytes)}
    state = {k: v for k, v in values.items() if k not in arrays}
    return TEMPLATE.format(
        title=type(explorer).__name__,
        css=traits["_css"],
        script=traits["_esm"],
        arrays=json.dumps({k: base64.b64encode(v).decode() for k, v in arrays.items()}),
        still=json.dumps(still),
        theme=theme,
        paper=PAPER[theme],
        state=json.dumps(state).replace("<", "\\u003c"),  # no text opens or ends a tag
    )


def frame(explorer: anywidget.AnyWidget) -> str:
    """The page as an element of a page of the book, whose book.js makes it fit."""
    return (
        f'<iframe title="{type(explorer).__name__}" style="width:100%;border:0" '
        f'srcdoc="{html.escape(page(explorer, still=True), quote=True)}"></iframe>'
    )
