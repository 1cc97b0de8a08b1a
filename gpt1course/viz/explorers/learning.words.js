// What the model writes: now, and the copies that were kept; and the table of what was tried.

import { el, tableRow } from "./common.elements.js";
import { commas } from "./common.words.js";
import { MODELS } from "./learning.beside.js";
import { MARKS } from "./learning.training.js";

const COPY = 72; // characters of a copy

export function addWriting(view, parent) {
  const box = el("div", "gx-learn-writes", parent);
  el("h4", "gx-learn-part", box, "What it writes");
  view.rungs = el("dl", "gx-learn-rungs", box);
}

// "now", then the first stage at or after each mark.
function rungsOf(training) {
  const { shown } = training;
  const rungs = [[shown ? `${commas(shown.step)}` : "0", shown, "gx-learn-newest"]];
  for (const mark of MARKS) {
    const stage = training.stages.find(s => s.step >= mark);
    rungs.push([commas(mark), stage, ""]);
  }
  return rungs;
}

export function showWriting(view) {
  view.rungs.replaceChildren();
  for (const [name, stage, cls] of rungsOf(view.training)) {
    el("dt", cls, view.rungs, cls ? `now: ${name}` : name);
    const said = el("dd", `gx-learn-wrote ${cls}`, view.rungs);
    if (stage) writeWords(said, cls ? stage : shortened(stage));
    else said.textContent = "…";
  }
}

// Of a copy that was kept, as much as fits on a line of a wide page.
function shortened({ text = "", words }) {
  return { text: [...text].slice(0, COPY).join(""), words };
}

// Real words in bold: those that the text has, of at least four letters.
function writeWords(parent, { text = "", words = [] }) {
  for (const part of text.replaceAll("\n", "⏎").split(/(\p{L}+)/u)) {
    const isReal = words.includes(part.toLowerCase());
    el(isReal ? "b" : "span", "", parent, part);
  }
}

// ---- what was tried

const COLUMNS = [
  "model",
  "blocks",
  "width",
  "parameters",
  "rate",
  "updates",
  "seconds",
  "nats",
];

export function addTries(view, parent) {
  view.triesBox = el("div", "gx-learn-tries", parent);
  el("h4", "gx-learn-part", view.triesBox, "What you have tried");
  view.tries = el("table", "gx-table", el("div", "gx-scroll", view.triesBox));
}

export function showTries(view) {
  const { tries } = view.training;
  view.triesBox.hidden = !tries.length;
  if (view.tries.rows.length === tries.length + 1) return;
  view.tries.replaceChildren();
  tableRow(view.tries, "th", COLUMNS);
  const best = Math.min(...tries.map(t => t.loss));
  for (const t of tries) {
    const blocks = t.model === "gpt" ? t.n_layer : "";
    const sizes = [MODELS[t.model], blocks, t.n_embd, commas(t.parameters), t.rate];
    const reached = [commas(t.updates), Math.round(t.seconds), t.loss.toFixed(3)];
    tableRow(view.tries, "td", [...sizes, ...reached], t.loss === best ? "gx-strong" : "");
  }
}
