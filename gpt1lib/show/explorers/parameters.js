// How many parameters a GPT of these sizes has, and where they sit.
function count(c) {                    // the twin of parameter_parts in explorers/__init__.py
  const C = c.n_embd, L = c.n_layer;
  return { "token embedding": c.n_vocab * C, "positions": c.n_ctx * C, "attention": L * (4 * C * C + 4 * C),
    "feed-forward": L * (8 * C * C + 5 * C), "LayerNorm": L * 4 * C, "output matrix": c.tied ? 0 : c.n_vocab * C };
}
const PART_COLORS = ["#5790fc", "#f89c20", "#e42536", "#964a8b", "#9c9ca1", "#7a21dd"];
const HATCH = ["none", "repeating-linear-gradient(45deg,#fff8 0 1px,transparent 1px 6px)", "repeating-linear-gradient(-45deg,#fff8 0 1px,transparent 1px 8px)",
  "repeating-linear-gradient(90deg,#fff8 0 1px,transparent 1px 7px)", "none", "repeating-linear-gradient(0deg,#fff8 0 1px,transparent 1px 6px)"];
function draw(model, root) {
  const configs = model.get("configs"), first = Object.keys(configs)[0];
  let c = { ...configs[first] };
  const presets = choice(root, "sizes of", Object.fromEntries(Object.keys(configs).map(k => [k, k])), first, k => {
    c = { ...configs[k] };
    for (const n in sliders) sliders[n].set(scaleOf(n, c[n]));
    tied.set(String(c.tied)); show();
  });
  const widths = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1280, 1600, 2048];
  const vocabs = [64, 256, 1000, 4096, 8120, 16000, 32000, 40478, 50257, 65536];
  const scales = { n_layer: null, n_embd: widths, n_ctx: [32, 64, 128, 256, 512, 1024, 2048], n_vocab: vocabs };
  const nearest = (list, v) => list.reduce((b, x, i) => Math.abs(x - v) < Math.abs(list[b] - v) ? i : b, 0);
  const scaleOf = (n, v) => scales[n] ? nearest(scales[n], v) : v;
  const sliders = {};
  for (const n in scales) {
    const list = scales[n];
    sliders[n] = slider(root, n, { min: list ? 0 : 1, max: list ? list.length - 1 : 48, step: 1, value: scaleOf(n, c[n]),
      text: v => (list ? list[v] : v).toLocaleString("en") }, v => { c[n] = list ? list[v] : v; show(); });
  }
  const tied = choice(root, "output matrix", { true: "tied to the token embedding", false: "its own" }, String(c.tied), k => { c.tied = k === "true"; show(); });
  const stack = el("div", "gx-stack", root), table = el("table", "gx-table", root), said = live(root);
  stack.setAttribute("role", "img");
  function show() {
    const parts = count(c), names = Object.keys(parts), total = names.reduce((s, n) => s + parts[n], 0);
    stack.replaceChildren(); table.replaceChildren();
    names.forEach((n, i) => {
      const seg = el("div", "", stack);
      seg.style.cssText = `width:${100 * parts[n] / total}%;background:${HATCH[i]},${PART_COLORS[i]}`;
      seg.title = `${n}: ${parts[n].toLocaleString("en")}`;
      const tr = el("tr", "", table), td = el("td", "", tr);
      el("span", "gx-swatch", td).style.background = PART_COLORS[i];
      td.append(n);
      el("td", "", tr, parts[n].toLocaleString("en"));
      el("td", "", tr, percent(parts[n] / total));
    });
    const tr = el("tr", "", table);
    el("th", "", tr, "all"); el("th", "", tr, total.toLocaleString("en")); el("th", "", tr, "");
    const words = `${total.toLocaleString("en")} parameters, ${(4 * total / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB in float32. ` +
      `The blocks hold ${percent((parts["attention"] + parts["feed-forward"] + parts["LayerNorm"]) / total, 0)} of them.`;
    said.textContent = words;
    stack.setAttribute("aria-label", words);
    root.dataset.total = total;
  }
  show();
}
