// All heads as thumbnails, one head large, one token's row as bars and as arcs.
function draw(model, root) {
  const alive = root.alive = {};           // a new prompt draws everything anew
  const when = (name, act) => model.on("change:" + name, () => { if (root.alive === alive) act(); });
  if (model.get("editable")) {
    const line = el("div", "gx-control", root), label = el("label", "", line, "text"), input = el("input", "gx-prompt", line);
    line.style.gridTemplateColumns = "4em minmax(120px, 560px)";
    input.id = label.htmlFor = `gx-${++serial}`;
    input.value = model.get("prompt"); input.spellcheck = false;
    input.addEventListener("change", () => { model.set("prompt", input.value); model.save_changes(); });
    const status = el("p", "gx-note", root, model.get("message"));
    when("message", () => { status.textContent = model.get("message"); });
  }
  if (!root.bound) {
    root.bound = true;                     // once: each drawing would add another
    model.on("change:data", () => { root.replaceChildren(); draw(model, root); });
  }
  const L = model.get("n_layer"), H = model.get("n_head"), tokens = model.get("tokens");
  const T = tokens.length, names = labels(tokens), dark = root.classList.contains("gx-dark");
  const masked = halves(model, "data"), scores = model.get("scores").byteLength ? halves(model, "scores") : null;
  let mode = scores ? model.get("mask") : "before", w = weights(), pinned = model.get("pinned");
  const at = (h, q, k) => w[(h * T + q) * T + k];
  const last = q => mode === "none" ? T - 1 : q;       // the latest token that row q sees
  let head = model.get("head"), row = Math.min(model.get("row"), T - 1);
  function weights() {                                 // under each place of the mask
    if (mode === "before") return masked;
    const out = new Float32Array(scores.length);
    for (let i = 0; i < out.length; i += T) {
      const q = i / T % T;
      let top = -Infinity, sum = 0;
      for (let k = 0; k < T; k++) top = Math.max(top, scores[i + k]);
      for (let k = 0; k < T; k++) sum += out[i + k] = Math.exp(scores[i + k] - top);
      for (let k = 0; k < T; k++) out[i + k] = mode === "after" && k > q ? 0 : out[i + k] / sum;
    }
    return out;
  }

  const cols = el("div", "gx-cols", root), left = el("div", "", cols), right = el("div", "", cols);
  el("p", "gx-title", left, `All ${L * H} heads`);
  const grid = el("div", "gx-grid", left);
  grid.style.gridTemplateColumns = `4em repeat(${H}, minmax(44px, 72px))`;
  grid.setAttribute("role", "radiogroup");
  grid.setAttribute("aria-label", "attention heads, a row a layer; arrow keys move");
  el("span", "", grid);
  for (let h = 0; h < H; h++) el("span", "gx-lab", grid, `head ${h}`);
  const tiles = [];
  for (let l = 0; l < L; l++) {
    el("span", "gx-lab", grid, `layer ${l}`);
    for (let h = 0; h < H; h++) {
      const i = l * H + h, b = el("button", "gx-tile", grid);
      b.type = "button";
      b.setAttribute("role", "radio");
      b.setAttribute("aria-label", `layer ${l}, head ${h}`);
      b.addEventListener("click", () => select(i));
      b.addEventListener("keydown", e => {
        const d = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: H, ArrowUp: -H }[e.key];
        if (d == null) return;
        e.preventDefault();
        if (i + d >= 0 && i + d < L * H) { select(i + d); tiles[i + d].focus(); }
      });
      paint(el("canvas", "gx-hatch", b), i);
      tiles.push(b);
    }
  }
  const scale = el("div", "gx-scale", left);
  el("span", "", scale, "0");
  el("i", "", scale).style.background = `linear-gradient(90deg, ${[0, .25, .5, .75, 1].map(v => css(rgb(v, dark))).join(",")})`;
  el("span", "", scale, "1   weight");
  el("span", "gx-hatch", scale).style.cssText = "width:18px;height:9px;margin-left:12px";
  el("span", "", scale, "masked (later tokens)");
  const facts = el("p", "gx-note", left);
  const MASKS = { before: "before the softmax (GPT-1)", none: "no mask", after: "after the softmax" };
  const picker = scores && choice(left, "mask", MASKS, mode, v => { model.set("mask", v); model.save_changes(); setMask(v); });
  function setMask(v) {
    mode = v; w = weights();
    tiles.forEach((b, i) => paint(b.firstChild, i));
    show();
  }
  const pin = button(left, "Keep this head beside", () => {
    pinned = pinned === head ? -1 : head;
    model.set("pinned", pinned); model.save_changes(); show();
  });

  const title = el("p", "gx-title", right);
  const size = Math.max(12, Math.min(30, Math.floor(380 / T)));
  const matrix = el("div", "gx-matrix", right);
  matrix.style.gridTemplate = `auto repeat(${T}, ${size}px) / auto ${T * size}px`;
  el("span", "", matrix);
  const top = el("div", "", matrix);
  top.style.cssText = `display:grid;grid-template-columns:repeat(${T},${size}px);align-items:end`;
  for (const n of names) el("span", "gx-col", top, n);
  const rows = names.map((n, i) => {
    const b = el("button", "gx-row", matrix, n);
    b.type = "button";
    b.style.gridColumn = 1; b.style.gridRow = i + 2;
    b.setAttribute("aria-label", `from ${n}`);
    b.addEventListener("mouseenter", () => setRow(i));
    b.addEventListener("focus", () => setRow(i));
    b.addEventListener("click", () => setRow(i));
    b.addEventListener("keydown", e => {
      const d = { ArrowDown: 1, ArrowUp: -1 }[e.key];
      if (!d || !rows[i + d]) return;
      e.preventDefault();
      rows[i + d].focus();
    });
    return b;
  });
  const wrap = el("div", "gx-wrap", matrix);
  wrap.style.cssText = `grid-column:2;grid-row:2/${T + 2}`;
  const big = el("canvas", "gx-big gx-hatch", wrap), mark = el("div", "gx-mark", wrap);
  big.setAttribute("role", "img");
  mark.style.height = `${100 / T}%`;
  wrap.addEventListener("mousemove", e => {
    const box = big.getBoundingClientRect();
    const q = Math.floor((e.clientY - box.top) / box.height * T);
    const k = Math.floor((e.clientX - box.left) / box.width * T);
    if (q < 0 || k < 0 || q >= T || k >= T) return;
    setRow(q);
    wrap.title = k > last(q) ? `${names[q]} to ${names[k]}: masked` : `${names[q]} to ${names[k]}: ${at(head, q, k).toFixed(3)}`;
  });
  const beside = el("div", "", left), besideTitle = el("p", "gx-title", beside), second = el("canvas", "gx-hatch", beside);
  second.style.cssText = `width:${T * Math.min(size, 16)}px;image-rendering:pixelated;display:block`;
  second.setAttribute("role", "img");
  const said = live(root), arcs = el("div", "gx-arcs", root), bars = el("ol", "gx-bars", root);

  function paint(canvas, h) {
    canvas.width = canvas.height = T;
    const ctx = canvas.getContext("2d");
    ctx.clearRect(0, 0, T, T);
    for (let q = 0; q < T; q++) for (let k = 0; k <= last(q); k++) {
      ctx.fillStyle = css(rgb(at(h, q, k), dark));
      ctx.fillRect(k, q, 1, 1);
    }
  }
  function select(i) {
    head = i;
    model.set("head", i);
    model.save_changes();
    show();
  }
  function setRow(q) {
    if (q !== row) { row = q; model.set("row", q); model.save_changes(); }
    showRow();
  }
  function showRow() {
    rows.forEach((r, i) => r.classList.toggle("gx-on", i === row));
    mark.style.top = `${100 * row / T}%`;
    const keys = names.map((n, k) => k).filter(k => k <= last(row)).sort((a, b) => at(head, row, b) - at(head, row, a));
    said.textContent = `“${names[row]}” attends ` + keys.slice(0, 3).map(k => `${percent(at(head, row, k), 0)} to “${names[k]}”`).join(", ") +
      (row === T - 1 ? ". It is the last token and may see all." : {
        before: () => `. The ${T - 1 - row} later tokens are masked.`,
        none: () => `. ${percent(later(), 0)} go to later tokens: without a mask it sees the answers.`,
        after: () => `. The ${T - 1 - row} later tokens were cut after the softmax: the row adds up to ${percent(1 - later(), 0)} only.`,
      }[mode]()) + (pinned < 0 || pinned === head ? "" : ` It differs by ${percent(distance(), 0)} from ${headName(pinned)}.`);
    drawArcs();
    bars.replaceChildren();
    for (const k of keys.slice(0, 6)) {
      const li = el("li", "", bars);
      el("span", "gx-word", li, names[k]);
      el("span", "gx-fill", el("span", "gx-track", li)).style.width = percent(at(head, row, k));
      el("span", "gx-num", li, percent(at(head, row, k)));
    }
  }
  function later() {                        // what row would give to later tokens
    const i = (head * T + row) * T;
    let top = -Infinity, sum = 0, rest = 0;
    for (let k = 0; k < T; k++) top = Math.max(top, scores[i + k]);
    for (let k = 0; k < T; k++) { const v = Math.exp(scores[i + k] - top); sum += v; if (k > row) rest += v; }
    return rest / sum;
  }
  function distance() {                     // half the sum of differences: 0 alike, 1 apart
    let sum = 0;
    for (let k = 0; k < T; k++) sum += Math.abs(at(head, row, k) - at(pinned, row, k));
    return sum / 2;
  }
  function drawArcs() {                     // the row over the sentence: thick is much
    const step = Math.max(46, Math.min(84, 900 / T)), width = step * T, height = 78;
    arcs.replaceChildren();
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const put = (kind, attributes, text) => {
      const e = document.createElementNS(svg.namespaceURI, kind);
      for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
      if (text) e.textContent = text;
      svg.appendChild(e);
    };
    svg.setAttribute("viewBox", `0 0 ${width} ${height + 18}`);
    svg.setAttribute("aria-hidden", "true");   // the sentence above says it
    svg.style.cssText = `width:100%;max-width:${width}px;display:block`;
    const x = k => (k + .5) * step;
    for (let k = 0; k <= last(row); k++) {
      const v = at(head, row, k);
      if (v < .005) continue;
      const high = k === row ? 16 : Math.min(height - 6, 14 + 9 * Math.abs(row - k));
      const d = k === row ? `M${x(k) - 7} ${height}C${x(k) - 14} ${height - 26} ${x(k) + 14} ${height - 26} ${x(k) + 7} ${height}`
        : `M${x(row)} ${height}C${x(row)} ${height - high * 1.3} ${x(k)} ${height - high * 1.3} ${x(k)} ${height}`;
      put("path", { d, fill: "none", stroke: "#5790fc", "stroke-width": (1 + 9 * v).toFixed(1), "stroke-opacity": (.3 + .7 * v).toFixed(2) });
    }
    names.forEach((n, k) => put("text", { x: x(k), y: height + 13, "text-anchor": "middle", "font-weight": k === row ? 700 : 400, opacity: k > last(row) ? .45 : 1 }, n.length > 10 ? n.slice(0, 9) + "…" : n));
    arcs.appendChild(svg);
  }
  function headName(h) { return `layer ${Math.floor(h / H)}, head ${h % H}`; }
  function show() {
    tiles.forEach((b, i) => { b.setAttribute("aria-checked", i === head); b.tabIndex = i === head ? 0 : -1; });
    paint(big, head);
    let entropy = 0, reach = 0;
    for (let q = 0; q < T; q++) for (let k = 0; k <= last(q); k++) {
      const v = at(head, q, k);
      if (v > 0) entropy -= v * Math.log2(v);
      reach += v * (q - k);
    }
    const name = headName(head);
    pin.textContent = pinned === head ? "Let it go" : "Keep this head beside";
    beside.hidden = pinned < 0 || pinned === head;
    if (!beside.hidden) {
      paint(second, pinned);
      besideTitle.textContent = `L${headName(pinned).slice(1)}, kept`;
      second.setAttribute("aria-label", `${headName(pinned)}, kept for comparison`);
    }
    title.textContent = `L${name.slice(1)}: from each row to each column`;
    big.setAttribute("aria-label", `${name}: ${T} by ${T} attention weights, ${mode === "none" ? "no mask" : "later tokens masked"}`);
    facts.textContent = `${name}: looks ${reach < 0 ? "ahead" : "back"} ${Math.abs(reach / T).toFixed(1)} tokens on average; entropy ${(entropy / T).toFixed(2)} bits.`;
    showRow();
  }
  when("mask", () => { if (scores && model.get("mask") !== mode) { picker.set(model.get("mask")); setMask(model.get("mask")); } });
  when("pinned", () => { if (model.get("pinned") !== pinned) { pinned = model.get("pinned"); show(); } });
  when("head", () => { if (model.get("head") !== head) { head = model.get("head"); show(); } });
  when("row", () => { if (model.get("row") !== row) { row = model.get("row"); showRow(); } });
  show();
}
