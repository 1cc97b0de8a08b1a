// The logit lens: rows are states on the way up, columns are tokens, cells the best guess.
function draw(model, root) {
  const names = labels(model.get("tokens")), stages = model.get("stages"), T = names.length;
  const dark = root.classList.contains("gx-dark");
  let detail = false, stage = model.get("stage"), place = model.get("place");
  choice(root, "show", { blocks: "after each block", all: "every state, LayerNorm before and after" }, "blocks", v => { detail = v === "all"; grid(); });
  const table = el("div", "gx-matrix gx-lens", root);
  table.setAttribute("role", "group");
  const cols = el("div", "gx-cols", root), left = el("div", "", cols), right = el("div", "", cols);
  const title = el("p", "gx-title", left), list = el("ol", "gx-bars", left);
  list.style.width = "340px";
  el("p", "gx-title", right, "The way of this token");
  const way = el("table", "gx-table", right), said = live(root);
  const shown = () => stages.map((s, i) => i).filter(i => detail || ["embeddings", "LayerNorm 2"].includes(stages[i].name));
  const label = s => s.block < 0 ? "embeddings" : detail ? `${s.block}: ${s.name}` : `block ${s.block}`;
  let cells = [];
  function grid() {
    const rows = shown();
    if (!rows.includes(stage)) stage = rows.at(-1);
    table.replaceChildren();
    table.style.gridTemplateColumns = `auto repeat(${T}, minmax(52px, 92px))`;
    cells = [...rows].reverse().map(i => {
      el("span", "gx-row", table, label(stages[i]));
      return names.map((n, t) => {
        const [piece, p] = stages[i].top[t][0], b = el("button", "gx-cell", table, readable(piece));
        const c = rgb(p, dark);
        b.type = "button"; b.style.background = css(c); b.style.color = ink(c);
        b.title = b.ariaLabel = `${label(stages[i])}, after ${n}: ${readable(piece)} ${percent(p)}`;
        b.addEventListener("click", () => choose(i, t));
        b.addEventListener("keydown", e => {
          const d = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[e.key];
          if (!d) return;
          e.preventDefault();
          const at = rows[rows.indexOf(i) + d[0]], to = t + d[1];
          if (at != null && to >= 0 && to < T) { choose(at, to); find(at, to).focus(); }
        });
        b.dataset.at = `${i},${t}`;
        return b;
      });
    }).flat();
    el("span", "", table);
    for (const n of names) el("span", "gx-lab", table, n).style.color = "inherit";
    show();
  }
  const find = (i, t) => cells.find(c => c.dataset.at === `${i},${t}`);
  function choose(i, t) { stage = i; place = t; model.set("stage", i); model.set("place", t); model.save_changes(); show(); }
  function show() {
    cells.forEach(c => { const on = c.dataset.at === `${stage},${place}`; c.classList.toggle("gx-chosen", on); c.tabIndex = on ? 0 : -1; });
    const s = stages[stage];
    title.textContent = `${label(s)}, after “${names[place]}”`;
    list.replaceChildren();
    for (const [piece, p] of s.top[place]) {
      const li = el("li", "", list);
      el("span", "gx-word", li, readable(piece));
      el("span", "gx-fill", el("span", "gx-track", li)).style.width = percent(p);
      el("span", "gx-num", li, percent(p));
    }
    way.replaceChildren();
    const head = el("tr", "", way);
    for (const h of ["state", "shape", "mean", "spread", "best guess"]) el("th", "", head, h);
    for (const i of shown()) {
      const r = el("tr", i === stage ? "gx-here-row" : "", way), v = stages[i];
      for (const text of [label(v), `(${v.shape.join(", ")})`, v.mean[place].toFixed(2), v.size[place].toFixed(2), readable(v.top[place][0][0])]) el("td", "", r, text);
    }
    const [piece, p] = s.top[place][0];
    said.textContent = `Read at ${label(s)}, the state of “${names[place]}” predicts “${readable(piece)}” with ${percent(p)}; its numbers have a spread of ${s.size[place].toFixed(2)}.`;
  }
  for (const n of ["stage", "place"]) model.on("change:" + n, () => {
    if (model.get("stage") !== stage || model.get("place") !== place) { stage = model.get("stage"); place = model.get("place"); show(); }
  });
  grid();
}
