"""An explorer as a page of its own, live without a kernel: for slides and tests.

Its arrays are on board; only what asks the model (a new prompt) stays as it is.
"""

import base64
import html
import json

import anywidget

TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<title>{title}</title>
<style>body {{ margin: 16px; background: #fff; }}
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
  set(k, v) {{
    this.state[k] = v;
    for (const f of this.seen["change:" + k] || []) f();
  }},
  on(e, f) {{ (this.seen[e] ||= []).push(f); }},
  save_changes() {{}},
}};
window.model = model;
start(draw).render({{ model, el: document.querySelector("#here") }});
</script></body></html>
"""


def page(explorer: anywidget.AnyWidget, still: bool = False) -> str:
    """HTML that shows the explorer and needs nothing else.

    still: what would ask the model is switched off, for readers; tests leave it on.
    """
    names = [n for n in explorer.trait_names(sync=True) if not n.startswith("_")]
    names = set(names) - {"layout", "tabbable", "tooltip"}  # ipywidgets' own
    state = {name: getattr(explorer, name) for name in sorted(names)}
    arrays = {
        k: base64.b64encode(state.pop(k)).decode()
        for k in sorted(names)
        if isinstance(state[k], bytes)
    }
    return TEMPLATE.format(
        title=type(explorer).__name__,
        css=explorer._css,
        script=explorer._esm,
        arrays=json.dumps(arrays),
        still=json.dumps(still),
        state=json.dumps(state).replace("</", "<\\/"),
    )


def frame(explorer: anywidget.AnyWidget) -> str:
    """The page as an element of another page; hides the picture before it."""
    ready = (
        "this.style.height=this.contentDocument.documentElement.scrollHeight+24+'px';"
        "this.previousElementSibling.style.display='none'"
    )
    return (
        f'<iframe title="{type(explorer).__name__}" onload="{ready}" '
        'style="width:100%;border:0;height:520px" '
        f'srcdoc="{html.escape(page(explorer, still=True), quote=True)}"></iframe>'
    )
