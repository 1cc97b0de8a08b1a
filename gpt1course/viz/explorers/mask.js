// Scores, mask and softmax side by side, with the masks that people get wrong.

import { probsOf } from "../engine/sample.js";
import { shade } from "./common.colors.js";
import { choice } from "./common.controls.js";
import { addHeadline, button, el, liveRegion, setTip } from "./common.elements.js";
import { onChange, setShared } from "./common.traits.js";
import { labels, minus, rounded, sum } from "./common.words.js";
import { start } from "./start.js";

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
    "Each row also sees the very token that it should predict. " +
    "The loss falls to nearly 0 and nothing is learned.",
  strict:
    "No row sees itself, and the first row sees nothing: " +
    "softmax of nothing is not a number (nan).",
  after:
    "Future weights were set to 0 after the softmax: they have taken their share already, " +
    "so rows no longer sum to 1, and scores of later tokens still move earlier rows.",
};
const most = values => rounded(Math.max(...values));
const FINDINGS = {
  correct: () => "Causal mask: no row sees a later token, and each row sums to 1.",
  none: rows =>
    `Without a mask, up to ${most(rows.map((row, q) => sum(row.slice(q + 1))))} ` +
    "of a row goes to later tokens.",
  ahead: rows =>
    `Off by one, a row gives up to ${most(rows.map((row, q) => row[q + 1] || 0))} ` +
    "to the answer.",
  strict: () => "Off by one the other way, the first row sees nothing: nan.",
  after: rows =>
    `Masked after the softmax, a row keeps as little as ` +
    `${rounded(Math.min(...rows.map(row => sum(row))))} of its weight.`,
};
const TIPS = {
  correct: "take the mask away",
  none: "a mask that is off by one",
  ahead: "a mask that is off by one the other way",
  strict: "a mask after the softmax",
  after: "back to the causal mask",
};
const STEPS = ["1. scores: change one", "2. masked scores", "3. weights after the softmax"];
const LIMIT = 50;
const HINT =
  "Row: from, column: to. Type a score, or change it with the up and down arrows; weights " +
  "that this has moved are in bold. A framed weight leaks: its token comes later.";

function draw(model, root) {
  const view = { model, names: labels(model.get("tokens")), kind: model.get("kind") };
  view.dark = root.classList.contains("gx-dark");
  view.given = model.get("scores");
  view.scores = view.given.map(row => [...row]);
  view.finding = addHeadline(root, "", () => setKind(view, nextKind(view)));
  view.picker = choice(root, "mask", KINDS, view.kind, kind => setKind(view, kind));
  const cols = el("div", "gx-cols gx-steps", root);
  view.panels = STEPS.map((title, step) => addPanel(view, cols, title, step));
  view.said = liveRegion(root);
  view.refused = el("p", "gx-note gx-refused", root);
  view.refused.setAttribute("role", "alert");
  el("p", "gx-note", root, HINT);
  button(root, "Reset", () => {
    view.scores = view.given.map(row => [...row]);
    view.changed = false;
    view.refused.textContent = "";
    view.inputs.flat().forEach(put => {
      put();
    });
    show(view);
  });
  onChange(view, ["kind"], () => {
    view.picker.set(view.kind);
    show(view);
  });
  show(view);
}

function setKind(view, kind) {
  setShared(view, { kind });
  view.picker.set(kind);
  show(view);
}

function nextKind({ kind }) {
  const kinds = Object.keys(KINDS);
  return kinds[(kinds.indexOf(kind) + 1) % kinds.length];
}

// ---- the numbers

// Weights that sum to 1; of a row that sees nothing, nan.
const softmax = row => [...probsOf(row)];

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

// ---- the three matrices

function addPanel(view, parent, title, step) {
  const { names } = view;
  const box = el("div", "gx-scroll", parent);
  el("p", "gx-title", box, title);
  const grid = el("div", "gx-matrix", box);
  const more = step === 2 ? " auto auto" : "";
  grid.style.gridTemplateColumns = `auto repeat(${names.length}, 46px)${more}`;
  el("span", "", grid);
  for (const name of names) el("span", "gx-col", grid, name);
  if (step === 2)
    for (const text of ["sum", "should predict"]) el("span", "gx-sum", grid, text);
  const cells = [];
  const sums = [];
  names.forEach((name, q) => {
    el("span", "gx-row", grid, name);
    cells.push(names.map(() => el("div", "gx-cell", grid)));
    if (step < 2) return;
    sums.push(el("span", "gx-sum", grid));
    el("span", "gx-sum", grid, names[q + 1] ?? "what follows");
  });
  if (step === 0)
    view.inputs = cells.map((row, q) => row.map((c, k) => scoreInput(view, c, q, k)));
  return { grid, cells, sums };
}

function show(view) {
  const { kind, panels } = view;
  const { masked, weights } = maskedSteps(view.scores, kind);
  const before = maskedSteps(view.given, kind).weights;
  weights.forEach((row, q) => {
    row.forEach((weight, k) => {
      showScore(panels[1].cells[q][k], masked[q][k], k > q && kind !== "after");
      showWeight(view, panels[2].cells[q][k], weight, k > q);
      const moved = Math.abs(weight - before[q][k]) > 1e-9;
      panels[2].cells[q][k].classList.toggle("gx-moved", moved);
    });
    showSum(panels[2].sums[q], sum(row));
  });
  const leak = largestLeak(weights);
  view.finding.textContent = FINDINGS[kind](weights);
  setTip(view.finding, TIPS[kind]);
  const more = ` The largest weight on a later token is ${rounded(leak)}.`;
  view.said.textContent =
    STORY[kind] + (leak > 0 ? more : "") + movedRows(view, weights, before);
}

const quoted = name => `“${name}”`;

function movedRows(view, weights, before) {
  const { names } = view;
  const moved = names.filter((_, q) =>
    weights[q].some((weight, k) => Math.abs(weight - before[q][k]) > 1e-9),
  );
  if (moved.length) return ` Your scores move the rows of ${moved.map(quoted).join(", ")}.`;
  return view.changed ? " Your scores move no row." : "";
}

function showSum(cell, total) {
  cell.textContent = Number.isNaN(total) ? "nan" : total.toFixed(3);
  cell.classList.toggle("gx-bad", !(Math.abs(total - 1) < 5e-4));
}

function showScore(cell, score, later) {
  const hidden = score === -Infinity;
  cell.textContent = hidden ? "−∞" : minus(score.toFixed(2));
  cell.classList.toggle("gx-hatch", hidden);
  cell.classList.toggle("gx-leak", later && !hidden);
}

function showWeight({ dark }, cell, weight, later) {
  cell.removeAttribute("style");
  cell.classList.toggle("gx-hatch", weight === 0);
  cell.classList.toggle("gx-leak", later && weight > 0);
  cell.textContent = weight === 0 ? "0" : Number.isNaN(weight) ? "nan" : weight.toFixed(3);
  if (weight > 0) shade(cell, weight, dark);
}

// A number as it may be typed: -0.4, −0,4, 1e-3; of anything else, nan.
function scoreOf(typed) {
  const text = typed.trim().replace("−", "-").replace(",", ".");
  return text ? Number(text) : Number.NaN;
}

function refusal(typed, score, held) {
  if (!Number.isFinite(score)) return `“${typed}” is not a number: the score stays as it was.`;
  return score === held ? "" : `Scores go from −${LIMIT} to ${LIMIT} here.`;
}

// A score that can be typed, or moved by arrow keys; returns what writes it anew.
function scoreInput(view, parent, q, k) {
  const { names } = view;
  const input = el("input", "", parent);
  input.setAttribute("aria-label", `score from ${names[q]} to ${names[k]}`);
  const write = () => {
    input.value = minus(view.scores[q][k].toFixed(2));
  };
  const put = score => {
    const held = Math.max(-LIMIT, Math.min(LIMIT, score));
    if (Number.isFinite(score)) view.scores[q][k] = held;
    view.changed = true;
    view.refused.textContent = refusal(input.value, score, held);
    write();
    show(view);
  };
  input.addEventListener("change", () => put(scoreOf(input.value)));
  input.addEventListener("keydown", e => {
    const d = { ArrowUp: 0.25, ArrowDown: -0.25 }[e.key];
    if (!d) return;
    e.preventDefault();
    put(view.scores[q][k] + d);
  });
  write();
  return write;
}

export default start(draw);
