"""An explorer as a page of its own, live without a kernel: for slides and tests."""

import base64
import json

from . import CSS, Explorer, script

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


def page(explorer: Explorer) -> str:
    """HTML that shows the explorer and needs nothing else; prompts stay as they are."""
    names = [n for n in explorer.trait_names(sync=True) if not n.startswith("_")]
    names = set(names) - {"layout", "tabbable", "tooltip"}  # ipywidgets' own
    state = {name: getattr(explorer, name) for name in sorted(names)}
    arrays = {k: base64.b64encode(state.pop(k)).decode() for k in sorted(names)
              if isinstance(state[k], bytes)}  # fmt: skip
    return TEMPLATE.format(
        title=type(explorer).__name__,
        css=CSS,
        script=script(explorer.name),
        arrays=json.dumps(arrays),
        state=json.dumps(state).replace("</", "<\\/"),
    )
