// Figure 1, right, for typed texts: token rows by segment, losses below, L3 by lambda.
const HUE = { special: "#7a7a80", "segment 1": "#5790fc", "segment 2": "#f89c20" };

function draw(model, root) {
  const fields = model.get("fields");
  let kind = model.get("kind");
  const kinds = choice(root, "task", Object.fromEntries(Object.keys(fields).map(k => [k, k === "choice" ? "multiple choice" : k])), kind,
    v => { kind = v; model.set("kind", v); model.save_changes(); ask(); show(); });
  const form = el("div", "", root), rows = el("div", "", root), said = live(root);
  const drag = slider(root, "λ", { min: 0, max: 2, step: .05, value: model.get("lm_coef"), text: v => v.toFixed(2), help: "weight of the language model's loss" },
    v => { model.set("lm_coef", v); model.save_changes(); mix(); });
  const table = el("table", "gx-table", root), stack = el("div", "gx-stack", root);
  const parts = [["task", "#5790fc"], ["λ × language model", "#f89c20"]].map(([name, hue]) => { const d = el("div", "", stack); d.style.background = hue; d.title = name; return d; });
  function ask() {
    form.replaceChildren();
    fields[kind].forEach((name, i) => {
      const line = el("div", "gx-control", form), label = el("label", "", line, name), input = el("input", "gx-prompt", line);
      line.style.gridTemplateColumns = "8.5em minmax(120px, 560px)";
      input.id = label.htmlFor = `gx-${++serial}`;
      input.value = model.get("texts")[kind][i]; input.spellcheck = false;
      input.addEventListener("change", () => {
        const all = JSON.parse(JSON.stringify(model.get("texts")));
        all[kind][i] = input.value; model.set("texts", all); model.save_changes();
      });
    });
  }
  function show() {
    const shown = model.get("formats")[kind];
    rows.replaceChildren();
    const most = Math.max(...shown.rows.flat().map(t => t[2] ?? 0), 1);
    shown.rows.forEach(row => {
      const line = el("div", "gx-tokens", rows);
      row.forEach(([piece, part, loss], i) => {
        const cell = el("div", "gx-token", line), name = el("span", "", cell, readable(piece));
        name.style.borderColor = HUE[part]; if (part === "special") name.classList.add("gx-special");
        const well = el("div", "gx-well", cell), bar = el("i", "", well);
        if (loss != null) { bar.style.height = percent(loss / most); cell.title = `loss of ${readable(piece)}: ${loss.toFixed(2)} nats`; }
        el("small", "", cell, loss == null ? "given" : loss.toFixed(1));
        if (i === row.length - 1) el("b", "", cell, "▲ read here");
      });
    });
    mix();
  }
  function mix() {
    const shown = model.get("formats")[kind], λ = model.get("lm_coef");
    drag.set(λ);
    const nats = shown.rows.map(row => row.map(t => t[2]).filter(v => v != null)), sum = a => a.reduce((x, y) => x + y, 0);
    const mean = sum(nats.map(n => sum(n) / n.length)) / nats.length, total = sum(nats.map(sum));
    table.replaceChildren();
    const head = el("tr", "", table);
    for (const h of ["", "task loss −L2", "language model −L1", "−L3 = −L2 − λ L1", "share of the language model"]) el("th", "", head, h);
    const lines = [["means (the code)", mean], ["sums (the paper)", total]];
    for (const [name, lm] of lines) {
      const r = el("tr", "", table), all = shown.task + λ * lm;
      for (const text of [name, shown.task.toFixed(3), lm.toFixed(3), all.toFixed(3), percent(λ * lm / all)]) el("td", "", r, text);
    }
    const all = shown.task + λ * mean;
    parts[0].style.width = percent(shown.task / all); parts[1].style.width = percent(λ * mean / all);
    root.dataset.l3 = JSON.stringify([-all, -(shown.task + λ * total)]);
    const n = shown.rows.length;
    said.textContent = (model.get("message") ? model.get("message") + " " : "") +
      `${n} sequence${n > 1 ? "s" : ""} of ${shown.rows.map(r => r.length).join(" and ")} tokens. With λ = ${λ.toFixed(2)} the language model makes ${percent(λ * mean / all, 0)} of the loss by means.`;
  }
  for (const name of ["formats", "message"]) model.on("change:" + name, show);
  model.on("change:lm_coef", mix);
  model.on("change:kind", () => { if (model.get("kind") !== kind) { kind = model.get("kind"); kinds.set(kind); ask(); show(); } });
  ask();
  show();
}
