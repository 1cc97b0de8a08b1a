// A table of what follows what: pick a row, see its distribution.
function draw(model, root) {
  const names = model.get("names"), V = names.length, p = halves(model, "data");
  const dark = root.classList.contains("gx-dark");
  let row = model.get("row");
  const cols = el("div", "gx-cols", root), left = el("div", "", cols), right = el("div", "", cols);
  const size = Math.max(9, Math.min(26, Math.floor(440 / V)));
  el("p", "gx-title", left, "Row: this one. Column: what follows.");
  const matrix = el("div", "gx-matrix", left);
  matrix.style.gridTemplate = `auto repeat(${V}, ${size}px) / auto ${V * size}px`;
  el("span", "", matrix);
  const top = el("div", "", matrix);
  top.style.cssText = `display:grid;grid-template-columns:repeat(${V},${size}px)`;
  for (const n of names) { const c = el("span", "gx-lab", top, n); c.style.color = "inherit"; }
  const buttons = names.map((n, i) => {
    const b = el("button", "gx-row", matrix, n);
    b.type = "button"; b.style.gridColumn = 1; b.style.gridRow = i + 2; b.style.lineHeight = 1;
    b.tabIndex = i === row ? 0 : -1;
    b.setAttribute("aria-label", `row ${n}`);
    for (const event of ["mouseenter", "focus", "click"]) b.addEventListener(event, () => pick(i));
    b.addEventListener("keydown", e => {
      const d = { ArrowDown: 1, ArrowUp: -1 }[e.key];
      if (d && buttons[i + d]) { e.preventDefault(); buttons[i + d].focus(); }
    });
    return b;
  });
  const wrap = el("div", "gx-wrap", matrix);
  wrap.style.cssText = `grid-column:2;grid-row:2/${V + 2}`;
  const big = el("canvas", "gx-big", wrap), mark = el("div", "gx-mark", wrap);
  big.width = big.height = V; big.setAttribute("role", "img");
  big.setAttribute("aria-label", `${V} by ${V} table of probabilities`);
  mark.style.height = `${100 / V}%`;
  const widest = p.reduce((a, b) => Math.max(a, b), 0), ctx = big.getContext("2d");
  for (let i = 0; i < V; i++) for (let j = 0; j < V; j++) { ctx.fillStyle = css(rgb(p[i * V + j] / widest, dark)); ctx.fillRect(j, i, 1, 1); }
  wrap.addEventListener("mousemove", e => {
    const box = big.getBoundingClientRect(), i = Math.floor((e.clientY - box.top) / box.height * V), j = Math.floor((e.clientX - box.left) / box.width * V);
    if (i >= 0 && i < V && j >= 0 && j < V) { pick(i); wrap.title = `${names[j]} after ${names[i]}: ${percent(p[i * V + j])}`; }
  });
  const scale = el("div", "gx-scale", left);
  el("span", "", scale, "0 %");
  el("i", "", scale).style.background = `linear-gradient(90deg, ${[0, .25, .5, .75, 1].map(v => css(rgb(v, dark))).join(",")})`;
  el("span", "", scale, percent(widest, 0));
  const title = el("p", "gx-title", right), list = el("ol", "gx-bars", right), said = live(right);
  list.style.width = "300px";
  function pick(i) { if (i !== row) { row = i; model.set("row", i); model.save_changes(); } show(); }
  function show() {
    buttons.forEach((b, i) => { b.classList.toggle("gx-on", i === row); b.tabIndex = i === row ? 0 : -1; });
    mark.style.top = `${100 * row / V}%`;
    const order = names.map((_, j) => j).sort((a, b) => p[row * V + b] - p[row * V + a]);
    title.textContent = `After ${names[row]}`;
    list.replaceChildren();
    for (const j of order.slice(0, 12)) {
      const li = el("li", "", list);
      li.style.gridTemplateColumns = "4em 1fr 4.6em";
      el("span", "gx-word", li, names[j]);
      el("span", "gx-fill", el("span", "gx-track", li)).style.width = percent(p[row * V + j] / Math.max(widest, 1e-9));
      el("span", "gx-num", li, percent(p[row * V + j]));
    }
    let entropy = 0;
    for (let j = 0; j < V; j++) { const v = p[row * V + j]; if (v > 0) entropy -= v * Math.log2(v); }
    said.textContent = `After ${names[row]}, most often ${names[order[0]]} (${percent(p[row * V + order[0]])}). Entropy of the row: ${entropy.toFixed(2)} bits.`;
  }
  model.on("change:row", () => { if (model.get("row") !== row) { row = model.get("row"); show(); } });
  show();
}
