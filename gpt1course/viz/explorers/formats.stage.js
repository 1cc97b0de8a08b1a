// The rows of tokens, the blocks that each of them runs through, the states that leave them,
// and what the linear layer makes of these: all as it is in the end.

import { bars, stretch } from "./common.bars.js";
import { css, ROLES, SIGNS } from "./common.colors.js";
import { el } from "./common.elements.js";
import { halves } from "./common.traits.js";
import { capital, commas, minus, percent, plural, readable, rounded } from "./common.words.js";
import { roleOf, textsOf } from "./formats.lanes.js";

const KEY =
  "Columns: the loss of each token as the next one, in nats. Double line: a special token.";

export function addStage(view) {
  const stage = el("div", "gx-fmt-stage", view.root);
  view.stage = stage;
  view.rows = el("div", "gx-fmt-rows", stage);
  view.block = el("div", "gx-fmt-block", stage);
  el("i", "gx-fmt-glow", view.block);
  view.blockName = el("span", "", view.block);
  view.out = el("div", "gx-fmt-out", stage);
  view.layerName = el("p", "gx-fmt-layer", stage);
  view.bar = el("ul", "gx-bars gx-fmt-bars", stage);
  view.learned = el("p", "gx-note", stage);
  el("p", "gx-note", stage, KEY);
}

export function drawStage(view) {
  const { model, kind } = view;
  const { rows, scores } = model.get("formats")[kind];
  const n = model.get("n_layer");
  drawRows(view, rows);
  view.blockName.textContent =
    rows.length > 1 ? `the same ${plural(n, "block")} for each row` : plural(n, "block");
  drawStates(view, rows.length, scores);
  drawAnswer(view);
}

// ---- rows

// A row for each sequence, in parts: a special token, or the tokens of one text (its place
// among the texts; -1 of what is special).
function drawRows(view, rows) {
  const { model, kind } = view;
  const order = textsOf(kind, model.get("fields")[kind].length);
  const most = Math.max(...rows.flat().map(token => token[2] ?? 0), 1);
  view.rows.replaceChildren();
  view.lines = rows.map((row, r) => {
    const line = el("div", "gx-tokens", view.rows);
    const parts = [];
    for (const token of row) {
      const text = order[r][+token[1].slice(-1) - 1] ?? -1;
      if (text < 0 || parts.at(-1).text !== text) parts.push(addPart(line, text));
      const { box, chips } = parts.at(-1);
      chips.push(addToken(box ?? line, token, roleOf(text), most));
    }
    el("b", "", parts.at(-1).chips[0], "▼");
    return { line, parts };
  });
}

const addPart = (line, text) => ({
  text,
  chips: [],
  box: text < 0 ? null : el("div", "gx-part", line),
});

// A piece whose word goes on stands close to the next one.
function addToken(line, [piece, , loss], role, most) {
  const cell = el("div", "gx-token", line);
  el("small", "", cell, loss == null ? "given" : loss.toFixed(1));
  const well = el("div", "gx-well", cell);
  const name = el("span", "", cell, readable(piece));
  name.style.borderColor = ROLES[role];
  if (role === "special") name.classList.add("gx-special");
  else if (!piece.endsWith("</w>")) cell.classList.add("gx-goes-on");
  if (loss != null) {
    stretch(well, loss / most);
    cell.title = `loss of ${readable(piece)}: ${loss.toFixed(2)} nats`;
  }
  return cell;
}

// ---- states

// All states of this kind: the last one of each row, then their sum where that is read.
function statesOf({ model, kind }, n) {
  const formats = model.get("formats");
  const count = name => formats[name].rows.length + (name === "similarity");
  const kinds = Object.keys(model.get("fields"));
  const before = kinds.slice(0, kinds.indexOf(kind)).reduce((k, name) => k + count(name), 0);
  const all = halves(model, "states");
  const total = kinds.reduce((k, name) => k + count(name), 0);
  const C = all.length / total;
  return Array.from({ length: n }, (_, i) =>
    all.subarray((before + i) * C, (before + i + 1) * C),
  );
}

function drawStates(view, n, scores) {
  const { kind, out } = view;
  const adds = kind === "similarity";
  const states = statesOf(view, n + adds);
  const top = Math.max(...states.map(state => Math.max(...state.map(Math.abs))), 1e-6);
  out.replaceChildren();
  view.states = states.map((state, i) => {
    const box = el("div", "gx-fmt-state", out);
    el("span", "gx-fmt-sign", box, adds ? ["", "+", "="][i] : "");
    const canvas = el("canvas", "", box);
    paint(canvas, state, top, view.dark);
    const name = nameOf(kind, i, n);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${name}: ${state.length} numbers`);
    const score = kind === "choice" ? `, score ${minus(scores[i].toFixed(2))}` : "";
    el("span", "gx-fmt-name", box, capital(name) + score);
    return { box, canvas, state, top };
  });
}

function nameOf(kind, i, n) {
  if (kind === "similarity")
    return ["last state, a first", "last state, b first", "their sum"][i];
  return n > 1 ? `row ${i + 1}, last state` : "last state";
}

// A number is a stripe in the upper half where it is above 0, red, and in the lower half where
// it is below, blue; the stronger the larger.
export function paint(canvas, state, top, dark) {
  Object.assign(canvas, { width: state.length, height: 2 });
  const pen = canvas.getContext("2d");
  state.forEach((v, i) => {
    pen.globalAlpha = Math.min(1, Math.abs(v / top)) ** (dark ? 0.7 : 1);
    pen.fillStyle = css(SIGNS[dark][v < 0 ? 0 : 1]);
    pen.fillRect(i, v < 0 ? 1 : 0, 1, 1);
  });
}

// ---- the answer

// The likeliest class or choice by these probabilities, and whether the layer has learned.
export function answerOf({ model, kind }, given = null) {
  const probs = given ?? model.get("formats")[kind].probs;
  const at = probs.indexOf(Math.max(...probs));
  const learned = Boolean(model.get("layers")[kind].task);
  return { at, word: classesOf({ model, kind })[at], p: probs[at], learned };
}

// The names of the classes or, where each text is one, of the fields.
export function classesOf({ model, kind }) {
  const { classes } = model.get("layers")[kind];
  return classes.length ? classes : model.get("fields")[kind].slice(1);
}

function drawAnswer(view) {
  const { model, kind } = view;
  const { probs } = model.get("formats")[kind];
  const layer = model.get("layers")[kind];
  const texts = model.get("texts")[kind].slice(1);
  const names = layer.classes.length ? layer.classes : texts;
  const softmax = kind === "choice" ? "a softmax over the three scores" : "a softmax";
  view.layerName.textContent =
    kind === "choice"
      ? `The linear layer gives each state one score, then ${softmax}:`
      : `The linear layer gives ${plural(probs.length, "score")}, then ${softmax}:`;
  bars(
    view.bar,
    probs.map((p, i) => [names[i], p, percent(p)]),
  );
  view.learned.textContent = layer.task ? learnedFrom(layer) : UNTRAINED;
}

const UNTRAINED =
  "Nothing has been learned for this model and task: the linear layer guesses evenly, and " +
  "the special tokens are random.";

function learnedFrom({ task, labels, accuracy, interval, examples, chance }) {
  const [low, high] = interval.map(rounded);
  const name = task.replaceAll("_", " ");
  return (
    `The linear layer and the three special tokens have learned “${name}” from ` +
    `${commas(labels)} labels, while the model itself stayed frozen. They are right on ` +
    `${percent(accuracy)} of ${commas(examples)} held-out examples (95% interval ${low} to ` +
    `${high}); guessing gets ${rounded(chance)}.`
  );
}

// The end of the play in words, for those who do not see it.
export function spoken(view) {
  const { model, kind } = view;
  const { rows } = model.get("formats")[kind];
  const { word, p, learned } = answerOf(view);
  const lengths = rows.map(row => row.length).join(" and ");
  const read = {
    classification: "Its last state, at [extract], is read.",
    entailment: "Its last state, at [extract], is read.",
    similarity: "Their last states, at [extract], are added, and the sum is read.",
    choice: "Each last state, at [extract], gets a score.",
  }[kind];
  const says = learned ? `The answer is “${word}” with ${percent(p)}.` : "The guess is even.";
  return `${plural(rows.length, "row")} of ${lengths} tokens. ${read} ${says}`;
}
