// Scores, mask and softmax on a few tokens, with the masks that people get wrong.

const KINDS = {
  correct: "causal (right)",
  none: "no mask",
  ahead: "shifted: sees one ahead",
  strict: "shifted: hides itself",
  after: "after the softmax",
};
const STORY = {
  correct: "Each row sees itself and what came before. Rows sum to 1.",
  none: "Every row sees the future: while training, each token could read its own answer.",
  ahead:
    "Each row sees exactly the token that it should predict. " +
    "The loss falls to nearly 0 and nothing is learned.",
  strict:
    "No row sees itself, and the first row sees nothing: " +
    "softmax of nothing is not a number (nan).",
  after:
    "Future weights were set to 0 after the softmax: they have taken their share already, " +
    "so rows no longer sum to 1, and scores of later tokens still move earlier rows.",
};
const STEPS = ["scores", "masked scores", "weights after the softmax"];
const TINT = "color-mix(in srgb, var(--gx-ink) 5%, transparent)";

function draw(model, root) {
  const view = { model, names: labels(model.get("tokens")) };
  view.dark = root.classList.contains("gx-dark");
  view.kind = model.get("kind");
  view.step = model.get("step");
  view.scores = givenScores(model);
  addControls(view, root);
  view.title = el("p", "gx-title", root);
  view.title.style.marginTop = "10px";
  view.box = el("div", "gx-matrix", root);
  view.said = live(root);
  addEditing(view, root);
  follow(view, ["kind"], () => {
    view.picker.set(view.kind);
    show(view);
  });
  follow(view, ["step"], () => {
    view.drag.set(view.step);
    show(view);
  });
  show(view);
}

const givenScores = model => JSON.parse(JSON.stringify(model.get("scores")));

function addControls(view, root) {
  view.picker = choice(root, "mask", KINDS, view.kind, kind => {
    keep(view, { kind });
    show(view);
  });
  const options = { min: 0, max: 2, step: 1, value: view.step, text: v => STEPS[v] };
  view.drag = slider(root, "step", options, step => {
    keep(view, { step });
    show(view);
  });
}

function addEditing(view, root) {
  const hint =
    "In step 1 the scores can be changed: type a number, or use the arrow keys up and down.";
  view.note = el("p", "gx-note", root, hint);
  button(root, "Reset", () => {
    view.scores = givenScores(view.model);
    show(view);
  });
}

// ---- the numbers

function softmax(row) {
  const top = Math.max(...row.filter(v => v > -Infinity));
  if (!(top > -Infinity)) return row.map(() => Number.NaN);
  const powers = row.map(v => Math.exp(v - top));
  const total = sum(powers);
  return powers.map(v => v / total);
}

const VISIBLE = {
  correct: (q, k) => k <= q,
  none: () => true,
  ahead: (q, k) => k <= q + 1,
  strict: (q, k) => k < q,
  after: (q, k) => k <= q,
};

// The twin of masked_steps in mask.py.
function maskedSteps(scores, kind) {
  const only = (rows, hidden) =>
    rows.map((row, q) => row.map((v, k) => (VISIBLE[kind](q, k) ? v : hidden)));
  if (kind === "after") return { masked: scores, weights: only(scores.map(softmax), 0) };
  const masked = only(scores, -Infinity);
  return { masked, weights: masked.map(softmax) };
}

function largestLeak(weights) {
  let leak = 0;
  weights.forEach((row, q) => {
    for (const weight of row.slice(q + 1)) leak = Math.max(leak, weight || 0);
  });
  return leak;
}

// ---- the matrix of this step

function show(view) {
  const { names, kind, step, box } = view;
  const { masked, weights } = maskedSteps(view.scores, kind);
  const values = [view.scores, masked, weights][step];
  view.title.textContent = `${step + 1}. ${STEPS[step]} (row: from, column: to)`;
  view.note.style.visibility = step === 0 ? "visible" : "hidden";
  box.replaceChildren();
  box.style.gridTemplateColumns = `auto repeat(${names.length}, minmax(46px, 62px)) auto`;
  el("span", "", box);
  for (const name of names) el("span", "gx-lab", box, name).style.fontSize = "12px";
  el("span", "gx-sum", box, step === 2 ? "row sum" : "");
  names.forEach((name, q) => {
    el("span", "gx-row", box, name);
    values[q].forEach((value, k) => {
      cell(view, q, k, value);
    });
    addRowSum(box, sum(weights[q]), step);
  });
  const leak = largestLeak(weights);
  const more = ` The largest weight on a later token is ${percent(leak, 0)}.`;
  view.said.textContent = STORY[kind] + (leak > 0 ? more : "");
  box.dataset.weights = JSON.stringify(weights);
}

function addRowSum(box, total, step) {
  const text = Number.isNaN(total) ? "nan" : total.toFixed(3);
  const cell = el("span", "gx-sum", box, step === 2 ? text : "");
  cell.classList.toggle("gx-bad", !(Math.abs(total - 1) < 5e-4));
}

function cell(view, q, k, value) {
  const { step } = view;
  const c = el("div", "gx-cell", view.box);
  if (value === (step === 2 ? 0 : -Infinity)) {
    c.classList.add("gx-hatch");
    c.textContent = step === 2 ? "0" : "-∞";
  } else if (Number.isNaN(value)) {
    c.textContent = "nan";
  } else if (step === 2) {
    shade(c, value, view.dark);
    c.textContent = value.toFixed(3);
    c.classList.toggle("gx-leak", k > q);
  } else {
    if (step === 1) c.textContent = value.toFixed(2);
    else scoreInput(view, c, q, k);
    c.style.background = TINT;
    c.classList.toggle("gx-leak", step === 1 && k > q && view.kind !== "after");
  }
}

// A score that can be typed, or moved by arrow keys.
function scoreInput({ names, scores }, parent, q, k) {
  const input = el("input", "", parent);
  input.value = scores[q][k].toFixed(2);
  input.setAttribute("aria-label", `score from ${names[q]} to ${names[k]}`);
  const put = score => {
    if (Number.isFinite(score)) scores[q][k] = Math.max(-50, Math.min(50, score));
    input.value = scores[q][k].toFixed(2);
  };
  input.addEventListener("change", () => put(Number.parseFloat(input.value)));
  input.addEventListener("keydown", e => {
    const d = { ArrowUp: 0.25, ArrowDown: -0.25 }[e.key];
    if (!d) return;
    e.preventDefault();
    put(scores[q][k] + d);
  });
}

export default start(draw);
