// Figure 1, right, for typed texts: token rows by segment, losses below, L3 by lambda.

import {
  addHeadline,
  choice,
  el,
  liveRegion,
  onChange,
  percent,
  plural,
  ROLES,
  readable,
  request,
  rounded,
  save,
  setShared,
  setTip,
  slider,
  stretch,
  sum,
  tableRow,
  textLine,
} from "./common.js";
import { start } from "./start.js";

const KEY =
  "Double line: special token, the other lines: the two segments. Column: the loss of the " +
  "token, in nats, as the language model reads it. The head is untrained here: its loss is " +
  "that of an even guess.";
const NAMES = {
  classification: "classification",
  entailment: "entailment",
  similarity: "similarity",
  choice: "multiple choice",
};
const FINDINGS = {
  classification: "Classification: one row, and its last state alone is read.",
  entailment: "Entailment: both texts share one row, and its last state is read.",
  similarity: "Similarity has no first text: both orders are read, their states added.",
  choice: "Multiple choice: a row for each answer, and a softmax over their scores.",
};
const HEADINGS = [
  "nats",
  "task loss −L2",
  "language model −L1",
  "−L3 = −L2 − λ L1",
  "share of the language model",
];

function draw(model, root) {
  const view = { model, root, kind: model.get("kind") };
  view.finding = addHeadline(root, "", () => setKind(view, nextKind(view)));
  addTasks(view);
  view.form = el("div", "", root);
  const status = el("p", "gx-note gx-hint", root);
  view.request = request(model, status, "The model reads ...", "Type a text and press Enter.");
  view.rows = el("div", "", root);
  el("p", "gx-note", root, KEY);
  addLambda(view);
  view.bars = [addBar(root, "by means"), addBar(root, "by sums")];
  view.said = liveRegion(root);
  view.table = el("table", "gx-table", el("div", "gx-scroll", root));
  model.on("change:formats", () => show(view));
  model.on("change:lm_coef", () => mix(view));
  onChange(view, ["kind"], () => {
    view.kinds.set(view.kind);
    ask(view);
    show(view);
  });
  ask(view);
  show(view);
}

function addTasks(view) {
  const kinds = Object.keys(view.model.get("fields"));
  const names = kinds.map(kind => [kind, NAMES[kind]]);
  view.kinds = choice(view.root, "task", Object.fromEntries(names), view.kind, kind =>
    setKind(view, kind),
  );
}

function setKind(view, kind) {
  setShared(view, { kind });
  view.kinds.set(kind);
  ask(view);
  show(view);
}

function nextKind({ model, kind }) {
  const kinds = Object.keys(model.get("fields"));
  return kinds[(kinds.indexOf(kind) + 1) % kinds.length];
}

function addLambda(view) {
  const options = {
    min: 0,
    max: 2,
    step: 0.05,
    value: view.model.get("lm_coef"),
    text: v => v.toFixed(2),
    help: "weight of the language model's loss",
  };
  view.lambda = slider(view.root, "λ", options, v => {
    save(view.model, { lm_coef: v });
    mix(view);
  });
}

// The two parts of L3, each with its name in it.
function addBar(root, name) {
  const row = el("div", "gx-mix", root);
  el("span", "gx-name", row, name);
  const stack = el("div", "gx-stack", row);
  return ["task loss", "language-model loss"].map(role => {
    const box = el("div", "", stack);
    box.style.background = ROLES[role];
    return box;
  });
}

// The texts of this task, to be typed.
function ask({ model, form, kind, request }) {
  form.replaceChildren();
  model.get("fields")[kind].forEach((name, i) => {
    textLine(form, name, model.get("texts")[kind][i], "8.5em", typed => {
      const texts = JSON.parse(JSON.stringify(model.get("texts")));
      texts[kind][i] = typed;
      request({ texts });
    });
  });
}

// A row for each sequence, with the loss of each token below it.
function show(view) {
  const { rows } = view.model.get("formats")[view.kind];
  const most = Math.max(...rows.flat().map(token => token[2] ?? 0), 1);
  view.rows.replaceChildren();
  for (const row of rows) {
    const line = el("div", "gx-tokens", view.rows);
    for (const token of row) addToken(line, token, most);
    el("b", "", line.lastChild, "▲ read here");
  }
  view.finding.textContent = FINDINGS[view.kind];
  setTip(view.finding, `go on to ${NAMES[nextKind(view)]}`);
  mix(view);
}

// A piece whose word goes on stands close to the next one.
function addToken(line, [piece, segment, loss], most) {
  const cell = el("div", "gx-token", line);
  const name = el("span", "", cell, readable(piece));
  name.style.borderColor = ROLES[segment];
  if (segment === "special") name.classList.add("gx-special");
  else if (!piece.endsWith("</w>")) cell.classList.add("gx-goes-on");
  const well = el("div", "gx-well", cell);
  if (loss != null) {
    stretch(well, loss / most);
    cell.title = `loss of ${readable(piece)}: ${loss.toFixed(2)} nats`;
  }
  el("small", "", cell, loss == null ? "given" : loss.toFixed(1));
}

// The twin of FormatsExplorer.losses: of the language model, by means and by sums.
function languageModelLosses(rows) {
  const nats = rows.map(row => row.map(token => token[2]).filter(loss => loss != null));
  const mean = sum(nats.map(losses => sum(losses) / losses.length)) / nats.length;
  return { mean, total: sum(nats.map(sum)) };
}

// What lambda makes of the two losses.
function mix(view) {
  const { model, root, bars } = view;
  const { rows, task } = model.get("formats")[view.kind];
  const λ = model.get("lm_coef");
  const { mean, total } = languageModelLosses(rows);
  const all = task + λ * mean;
  view.lambda.set(λ);
  view.table.replaceChildren();
  tableRow(view.table, "th", HEADINGS);
  addLosses(view.table, "means (the code)", task, mean, λ);
  addLosses(view.table, "sums (the paper)", task, total, λ);
  [mean, total].forEach((lm, i) => {
    const share = task / (task + λ * lm);
    widen(bars[i][0], share, "task");
    widen(bars[i][1], 1 - share, "λ × language model");
  });
  root.dataset.l3 = JSON.stringify([-all, -(task + λ * total)]);
  view.said.textContent =
    `${plural(rows.length, "sequence")} ` +
    `of ${rows.map(row => row.length).join(" and ")} tokens. With λ = ${λ.toFixed(2)} ` +
    `the language model makes up ${rounded((λ * mean) / all)} of the loss by means.`;
}

function widen(part, share, name) {
  part.style.width = `${100 * share}%`;
  part.textContent = share > 0.3 || (share > 0.1 && name === "task") ? name : "";
  part.title = name;
}

function addLosses(table, name, task, lm, λ) {
  const all = task + λ * lm;
  const losses = [task, lm, all].map(loss => loss.toFixed(3));
  tableRow(table, "td", [name, ...losses, percent((λ * lm) / all)]);
}

export default start(draw, { record: "formats", of: ["texts", "specials", "formats"] });
