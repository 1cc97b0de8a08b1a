// Figure 1, right, played for typed texts: tokens slide into place, the row runs through the
// blocks, its last state leaves them and a linear layer reads it. Below, L3 by lambda.

import { isDark, ROLES } from "./common.colors.js";
import { choice, slider } from "./common.controls.js";
import { addHeadline, el, liveRegion, setTip, tableRow } from "./common.elements.js";
import { onChange, save, setShared } from "./common.traits.js";
import { percent, rounded, sum } from "./common.words.js";
import { addLanes, NAMES } from "./formats.lanes.js";
import { placesOf, play, slide, stop } from "./formats.motion.js";
import { addStage, answerOf, classesOf, drawStage, spoken } from "./formats.stage.js";
import { addTexts, canExchange, drawTexts, exchange } from "./formats.texts.js";
import { start } from "./start.js";

const HEADINGS = [
  "nats",
  "task loss −L2",
  "language model −L1",
  "−L3 = −L2 − λ L1",
  "share of the language model",
];

function draw(model, root) {
  const view = { model, root, kind: model.get("kind"), flights: [] };
  view.dark = isDark(root);
  view.finding = addHeadline(root, "", () => next(view).act());
  view.lanes = addLanes(view, kind => setKind(view, kind));
  addTexts(view);
  addStage(view);
  view.said = liveRegion(root);
  addLoss(view);
  model.on("change:formats", () => answered(view));
  for (const name of ["lm_coef", "labels"]) model.on(`change:${name}`, () => mix(view));
  model.on("change:texts", () => drawTexts(view));
  onChange(view, ["kind"], () => show(view));
  show(view);
}

function setKind(view, kind) {
  setShared(view, { kind });
  show(view);
  play(view);
}

// What the headline proposes: to exchange two texts, once, then to go on.
function next(view) {
  const kinds = Object.keys(view.model.get("fields"));
  const following = kinds[(kinds.indexOf(view.kind) + 1) % kinds.length];
  if (canExchange(view) && view.exchanged !== view.kind) {
    const last = view.model.get("fields")[view.kind].length - 1;
    const tip = `exchange the ${last > 1 ? "last " : ""}two ${last > 1 ? "choices" : "texts"}`;
    return { tip, act: () => exchange(view, last - 1, last) || tell(view) };
  }
  return { tip: `go on to ${NAMES[following]}`, act: () => setKind(view, following) };
}

// All of the chosen kind, as it ends.
function show(view) {
  view.swap = null;
  stop(view);
  view.lanes.set(view.kind);
  drawTexts(view);
  drawStage(view);
  drawLabels(view);
  tell(view);
}

function tell(view, before = "") {
  view.finding.textContent = findingOf(view);
  setTip(view.finding, next(view).tip);
  view.said.textContent = before + spoken(view);
  mix(view);
}

function findingOf(view) {
  const { word, p, learned } = answerOf(view);
  const says = learned ? `“${word}”, ${rounded(p)}` : "an even guess, untrained";
  return {
    classification: `Classification: one row, and its last state alone is read: ${says}.`,
    entailment: `Entailment: both texts share a row, and its last state is read: ${says}.`,
    similarity: `Similarity: both orders are read, their last states added: ${says}.`,
    choice: `Multiple choice: a row for each, a softmax over their scores: ${says}.`,
  }[view.kind];
}

// A new record. After an exchange the tokens slide from where they were.
function answered(view) {
  const swap = view.swap;
  const was = swap && placesOf(view);
  const before = swap && answerOf(view, swap.probs);
  view.swap = null;
  stop(view);
  drawStage(view);
  tell(view, swap ? `Exchanged: ${changed(view, before, swap)} ` : "");
  if (swap) slide(view, was, swap);
}

function changed(view, before, { i }) {
  const { probs } = view.model.get("formats")[view.kind];
  const now = probs[before.at];
  const apart = Math.abs(now - before.p);
  if (view.kind === "similarity" && apart < 1e-4) {
    return "nothing changes, since both orders are read anyway.";
  }
  if (view.kind === "choice" && i) return "each row keeps its score, whatever its place.";
  return `“${before.word}” was ${percent(before.p)}, now it is ${percent(now)}.`;
}

// ---- the loss

function addLoss(view) {
  const { root } = view;
  el("p", "gx-title gx-fmt-loss", root, "The loss of fine-tuning on this example");
  view.labelBox = el("div", "", root);
  const options = {
    min: 0,
    max: 2,
    step: 0.05,
    value: view.model.get("lm_coef"),
    text: v => v.toFixed(2),
    help: "weight of the language model's loss",
  };
  view.lambda = slider(root, "λ", options, v => save(view.model, { lm_coef: v }));
  view.bars = [addBar(root, "by means"), addBar(root, "by sums")];
  view.share = el("p", "gx-note gx-fmt-share", root);
  view.share.setAttribute("aria-live", "polite");
  view.table = el("table", "gx-table", el("div", "gx-scroll", root));
}

// Which class counts as right: the task's loss is that of this class.
function drawLabels(view) {
  const { model, kind, labelBox } = view;
  labelBox.replaceChildren();
  const names = classesOf(view).map((name, i) => [i, name]);
  const at = model.get("labels")[kind];
  view.labels = choice(labelBox, "right answer", Object.fromEntries(names), String(at), i =>
    save(model, { labels: { ...model.get("labels"), [kind]: +i } }),
  );
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

// The twin of FormatsExplorer.losses: of the language model, by means and by sums.
function languageModelLosses(rows) {
  const nats = rows.map(row => row.map(token => token[2]).filter(loss => loss != null));
  const mean = sum(nats.map(losses => sum(losses) / losses.length)) / nats.length;
  return { mean, total: sum(nats.map(sum)) };
}

// What lambda and the right answer make of the two losses.
function mix(view) {
  const { model, bars, kind } = view;
  const { rows, task: nats } = model.get("formats")[kind];
  const [λ, label] = [model.get("lm_coef"), model.get("labels")[kind]];
  const task = nats[label];
  const { mean, total } = languageModelLosses(rows);
  const all = task + λ * mean;
  view.lambda.set(λ);
  view.labels.set(String(label));
  view.table.replaceChildren();
  tableRow(view.table, "th", HEADINGS);
  addLosses(view.table, "means (the code)", task, mean, λ);
  addLosses(view.table, "sums (the paper)", task, total, λ);
  [mean, total].forEach((lm, i) => {
    const share = task / (task + λ * lm || 1);
    widen(bars[i][0], share, "task");
    widen(bars[i][1], 1 - share, "λ × language model");
  });
  view.share.textContent =
    `If “${classesOf(view)[label]}” is right, the task loss is ${task.toFixed(2)} nats. ` +
    `With λ = ${λ.toFixed(2)} the language model makes up ` +
    `${rounded((λ * mean) / (all || 1))} of the loss by means.`;
}

function widen(part, share, name) {
  part.style.width = `${100 * share}%`;
  part.textContent = share > 0.3 || (share > 0.1 && name === "task") ? name : "";
  part.title = name;
}

function addLosses(table, name, task, lm, λ) {
  const all = task + λ * lm;
  const losses = [task, lm, all].map(loss => loss.toFixed(3));
  tableRow(table, "td", [name, ...losses, percent((λ * lm) / (all || 1))]);
}

export default start(draw, "formats");
