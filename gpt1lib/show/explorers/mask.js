// Scores, mask and softmax on a few tokens, with the masks that people get wrong.
function softmax(row) {
  const top = Math.max(...row.filter(v => v > -Infinity));
  if (!(top > -Infinity)) return row.map(() => NaN);
  const e = row.map(v => Math.exp(v - top)), sum = e.reduce((a, b) => a + b, 0);
  return e.map(v => v / sum);
}
function maskedSteps(scores, kind) {   // the twin of masked_steps in explorers/__init__.py
  const visible = { correct: (q, k) => k <= q, none: () => true, ahead: (q, k) => k <= q + 1,
    strict: (q, k) => k < q, after: (q, k) => k <= q }[kind];
  const masked = scores.map((row, q) => row.map((v, k) => kind !== "after" && !visible(q, k) ? -Infinity : v));
  let weights = masked.map(softmax);
  if (kind === "after") weights = weights.map((row, q) => row.map((v, k) => visible(q, k) ? v : 0));
  return { masked, weights };
}
const KINDS = { correct: "causal (right)", none: "no mask", ahead: "shifted: sees one ahead",
  strict: "shifted: hides itself", after: "after the softmax" };
const STORY = {
  correct: "Each row sees itself and what came before. Rows sum to 1.",
  none: "Every row sees the future: while training, each token could read its own answer.",
  ahead: "Each row sees exactly the token that it should predict. The loss falls to nearly 0 and nothing is learned.",
  strict: "No row sees itself, and the first row sees nothing: softmax of nothing is not a number (nan).",
  after: "Future weights were set to 0 after the softmax: they have taken their share already, so rows no longer sum to 1, and scores of later tokens still move earlier rows.",
};
function draw(model, root) {
  const tokens = model.get("tokens"), names = labels(tokens), T = tokens.length;
  const dark = root.classList.contains("gx-dark");
  let scores = JSON.parse(JSON.stringify(model.get("scores"))), kind = model.get("kind"), step = model.get("step");
  const STEPS = ["1. scores", "2. masked scores", "3. weights after the softmax"];
  const picker = choice(root, "mask", KINDS, kind, v => { kind = v; push("kind", v); show(); });
  const control = slider(root, "step", { min: 0, max: 2, step: 1, value: step, text: v => STEPS[v].slice(3) },
    v => { step = v; push("step", v); show(); });
  const title = el("p", "gx-title", root), box = el("div", "gx-matrix", root), said = live(root);
  title.style.marginTop = "10px";
  const note = el("p", "gx-note", root, "In step 1 the scores can be changed: type a number, or use the arrow keys up and down.");
  button(root, "Reset", () => { scores = JSON.parse(JSON.stringify(model.get("scores"))); show(); });
  function push(name, value) { model.set(name, value); model.save_changes(); }

  function show() {
    const { masked, weights } = maskedSteps(scores, kind);
    title.textContent = STEPS[step] + " (row: from, column: to)";
    note.style.visibility = step === 0 ? "visible" : "hidden";
    box.replaceChildren();
    box.style.gridTemplateColumns = `auto repeat(${T}, minmax(46px, 62px)) auto`;
    el("span", "", box);
    for (const n of names) { const c = el("span", "gx-lab", box, n); c.style.fontSize = "12px"; }
    el("span", "gx-sum", box, step === 2 ? "row sum" : "");
    for (let q = 0; q < T; q++) {
      el("span", "gx-row", box, names[q]);
      for (let k = 0; k < T; k++) cell(q, k, masked, weights);
      const sum = weights[q].reduce((a, b) => a + b, 0);
      const s = el("span", "gx-sum", box, step === 2 ? (isNaN(sum) ? "nan" : sum.toFixed(3)) : "");
      s.classList.toggle("gx-bad", !(Math.abs(sum - 1) < 5e-4));
    }
    let leak = 0;
    for (let q = 0; q < T; q++) for (let k = q + 1; k < T; k++) leak = Math.max(leak, weights[q][k] || 0);
    said.textContent = STORY[kind] + (leak > 0 ? ` The largest weight on a later token is ${percent(leak, 0)}.` : "");
    box.dataset.weights = JSON.stringify(weights);
  }
  function cell(q, k, masked, weights) {
    const c = el("div", "gx-cell", box), v = [scores, masked, weights][step][q][k];
    if (step === 2 ? v === 0 : v === -Infinity) {
      c.classList.add("gx-hatch");
      c.textContent = step === 2 ? "0" : "-∞";
    } else if (isNaN(v)) {
      c.textContent = "nan";
    } else if (step === 2) {
      const color = rgb(v, dark);
      c.style.background = css(color); c.style.color = ink(color);
      c.textContent = v.toFixed(3);
      c.classList.toggle("gx-leak", k > q);
    } else if (step === 1) {
      c.textContent = v.toFixed(2);
      c.style.background = "color-mix(in srgb, var(--gx-ink) 5%, transparent)";
      c.classList.toggle("gx-leak", k > q && kind !== "after");
    } else {
      const input = el("input", "", c);
      input.value = v.toFixed(2);
      input.setAttribute("aria-label", `score from ${names[q]} to ${names[k]}`);
      c.style.background = "color-mix(in srgb, var(--gx-ink) 5%, transparent)";
      const put = x => { if (isFinite(x)) scores[q][k] = Math.max(-50, Math.min(50, x)); input.value = scores[q][k].toFixed(2); };
      input.addEventListener("change", () => put(parseFloat(input.value)));
      input.addEventListener("keydown", e => {
        const d = { ArrowUp: .25, ArrowDown: -.25 }[e.key];
        if (d) { e.preventDefault(); put(scores[q][k] + d); }
      });
    }
  }
  model.on("change:kind", () => { if (model.get("kind") !== kind) { kind = model.get("kind"); picker.set(kind); show(); } });
  model.on("change:step", () => { if (model.get("step") !== step) { step = model.get("step"); control.set(step); show(); } });
  show();
}
