// All heads on one sentence while the model is pre-trained: a slider over stages of the run,
// the loss beside it, one head large, and one token's row at every stage.

import { addHeadTiles } from "./attention.tiles.js";
import { colorScale, css, rgb, shade } from "./common.colors.js";
import { choice, setChecked } from "./common.controls.js";
import { addHeadline, el, liveRegion, setTip } from "./common.elements.js";
import { bigPicture, lockedRows, markRow, matrixOf, rowButtons } from "./common.matrix.js";
import { onChange, setShared } from "./common.traits.js";
import {
  capital,
  commas,
  exactly,
  headName,
  plural,
  readable,
  rounded,
} from "./common.words.js";
import { addRun, showRun } from "./heads_over_training.curve.js";
import {
  findingOf,
  firstLook,
  readRun,
  sharpest,
  weightAt,
} from "./heads_over_training.run.js";
import { start } from "./start.js";

const BEAT = 700; // milliseconds from stage to stage, where the run is played
const GLIDE = 250; // and until the patterns are those of the next stage
const NOTE =
  "A head focuses when a row, from the fourth on, puts more than half of its weight on one " +
  "earlier token: then it is underlined. Hatched: later tokens, masked.";

function draw(model, root) {
  const view = readRun(model);
  view.root = root;
  view.dark = root.classList.contains("gx-dark");
  view.setStage = stage => setStage(view, stage);
  view.finding = addHeadline(root, "", () => (view.timer ? halt(view) : play(view)));
  addSentences(view);
  const cols = el("div", "gx-cols", root);
  addRun(view, el("div", "gx-aside", cols));
  addTiles(view, el("div", "gx-grown-heads", cols));
  el("p", "gx-note", root, NOTE);
  view.below = el("div", "gx-cols gx-grown-below", root);
  view.said = liveRegion(root);
  onChange(view, ["chosen"], () => showText(view));
  onChange(view, ["stage"], () => glide(view));
  onChange(view, ["head", "row"], () => show(view));
  showText(view);
}

// ---- the sentence, its words as dark as the weights on them

function addSentences(view) {
  const options = Object.fromEntries(view.texts.map((text, i) => [`t${i}`, opening(text)]));
  view.picker = choice(view.root, "sentence", options, `t${view.chosen}`, key => {
    setShared(view, { chosen: +key.slice(1) });
    showText(view);
  });
  view.line = el("p", "gx-grown-text", view.root);
}

// The first three words of a sentence.
function opening(pieces) {
  const text = pieces.map(p => readable(p) + (p.endsWith("</w>") ? " " : "")).join("");
  return text.split(" ").slice(0, 3).join(" ");
}

// Another sentence has other words: what is as large as it is made anew.
function showText(view) {
  readRun(view.model, view);
  view.picker.set(`t${view.chosen}`);
  view.line.replaceChildren();
  view.words = view.tokens.map((piece, i) => {
    const word = el("span", "", view.line, readable(piece));
    if (piece.endsWith("</w>")) view.line.append(" ");
    word.addEventListener("click", () => setRow(view, i));
    return word;
  });
  view.below.replaceChildren();
  addMatrix(view, el("div", "gx-scroll", view.below));
  addRibbon(view, el("div", "gx-scroll", view.below));
  view.at = view.stage;
  show(view);
}

function setRow(view, row) {
  if (row === view.row) return;
  setShared(view, { row });
  show(view);
}

// ---- the tiles: all heads

function addTiles(view, parent) {
  view.above = el("p", "gx-title", parent);
  view.tiles = addHeadTiles(parent, view, 310, head => select(view, head));
  colorScale(parent, view.dark, "0", "1   weight");
}

function select(view, head) {
  setShared(view, { head });
  show(view);
}

// A pixel a weight; what is masked stays clear and lets the hatching through. Between two
// stages, on the way from one to the other, the weights are a mix of both.
function paint(view, canvas, head) {
  const { T, at, dark } = view;
  canvas.width = canvas.height = T;
  const pen = canvas.getContext("2d");
  for (let q = 0; q < T; q++) {
    for (let k = 0; k <= q; k++) {
      pen.fillStyle = css(rgb(weightAt(view, at, head, q, k), dark));
      pen.fillRect(k, q, 1, 1);
    }
  }
}

// ---- one head large, with a row to follow

// Of a cell, in pixels: on a phone all columns still fit beside the names.
function cellSize({ root, T }) {
  const room = Math.min(340, (root.clientWidth || 900) - 84);
  return Math.max(12, Math.min(28, Math.floor(room / T)));
}

function addMatrix(view, parent) {
  const { T, names } = view;
  view.title = el("p", "gx-title", parent);
  const size = cellSize(view);
  const matrix = matrixOf(parent, names, T, size, size);
  const tell = () => view.mark.classList.toggle("gx-locked", view.rows.locked >= 0);
  view.rows = lockedRows(parent, q => setRow(view, q), tell);
  rowButtons(matrix, names, name => `from ${name}`, view.rows);
  const over = q => q != null && view.rows.over(q);
  const big = bigPicture(matrix, T, "gx-big gx-hatch", over, view.rows.lock);
  Object.assign(view, { big: big.canvas, mark: big.mark });
}

// ---- the row of that token at every stage

function addRibbon(view, parent) {
  const { S, steps } = view;
  view.ribbonTitle = el("p", "gx-title", parent);
  const matrix = matrixOf(parent, view.names, S, cellSize(view), 24);
  const go = stage => {
    view.setStage(stage);
    stages.buttons[stage].focus({ preventScroll: true });
  };
  const stages = { over() {}, pick: view.setStage, lock: go };
  const after = name => `after ${plural(+name.replaceAll(",", ""), "update")}`;
  rowButtons(matrix, steps.map(commas), after, stages);
  const big = bigPicture(matrix, S, "gx-big gx-hatch", () => {}, go);
  big.canvas.style.aspectRatio = "auto";
  big.canvas.style.height = `${24 * S}px`;
  Object.assign(view, { stages, ribbon: big.canvas, ribbonMark: big.mark });
}

function paintRibbon(view) {
  const { ribbon, T, S, head, row, dark } = view;
  Object.assign(ribbon, { width: T, height: S });
  const pen = ribbon.getContext("2d");
  for (let s = 0; s < S; s++) {
    for (let k = 0; k <= row; k++) {
      pen.fillStyle = css(rgb(weightAt(view, s, head, row, k), dark));
      pen.fillRect(k, s, 1, 1);
    }
  }
}

// ---- from stage to stage

function setStage(view, stage) {
  if (stage === view.stage) return;
  setShared(view, { stage });
  glide(view);
}

// The words are those of the new stage at once, the patterns after a quarter of a second.
function glide(view) {
  const [from, to, begun] = [view.at, view.stage, performance.now()];
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  cancelAnimationFrame(view.frame);
  const step = now => {
    const share = still ? 1 : Math.min(1, Math.max(0, now - begun) / GLIDE);
    view.at = from + (to - from) * share;
    paintHeads(view);
    if (share < 1 && view.root.isConnected) view.frame = requestAnimationFrame(step);
  };
  showStage(view);
  step(begun);
}

function play(view) {
  const last = view.S - 1;
  setStage(view, 0);
  view.timer = setInterval(() => {
    const next = Math.min(last, view.stage + 1);
    if (next === last || !view.finding.isConnected) halt(view); // first: the end is spoken
    setStage(view, next);
  }, BEAT);
  showStage(view);
}

function halt(view) {
  clearInterval(view.timer);
  view.timer = 0;
  showStage(view);
}

// ---- what is shown

function show(view) {
  const name = headName(view, view.head);
  setChecked(view.tiles, view.head);
  view.finding.textContent = findingOf(view);
  view.title.textContent = `${capital(name)}: from each row to each column`;
  view.ribbonTitle.textContent = `“${view.names[view.row]}” at every stage, by updates`;
  markRow(view.rows.buttons, view.row);
  view.mark.style.transform = `translateY(${100 * view.row}%)`;
  paintRibbon(view);
  paintHeads(view);
  showStage(view);
}

function paintHeads(view) {
  view.tiles.forEach((b, head) => {
    paint(view, b.firstChild, head);
  });
  paint(view, view.big, view.head);
}

function showStage(view) {
  const { stage, steps, head, row, names, tiles, words, dark } = view;
  const after = `after ${plural(steps[stage], "update")}`;
  view.above.textContent = `All heads ${after}`;
  setTip(view.finding, view.timer ? "stop here" : "play the run from its start");
  tiles.forEach((b, i) => {
    const { weight } = sharpest(view, stage, i);
    b.classList.toggle("gx-grown", weight > view.most);
    b.setAttribute(
      "aria-label",
      `${headName(view, i)}, at most ${rounded(weight)} on one token`,
    );
  });
  words.forEach((word, k) => {
    word.className = k === row ? "gx-from" : "";
    word.removeAttribute("style");
    if (k <= row) shade(word, weightAt(view, stage, head, row, k), dark);
  });
  markRow(view.stages.buttons, stage);
  view.ribbonMark.style.transform = `translateY(${100 * stage}%)`;
  view.big.setAttribute("aria-label", `${headName(view, head)} ${after}, from row to column`);
  view.ribbon.setAttribute("aria-label", `the row of “${names[row]}” at ${view.S} stages`);
  showRun(view, firstLook(view, head).stage);
  // a run that is played would be spoken without end: only where it stops is
  view.said.setAttribute("aria-live", view.timer ? "off" : "polite");
  view.said.textContent = sentence(view, after);
}

function sentence(view, after) {
  const { stage, head, row, names, losses } = view;
  const share = (s, k) => weightAt(view, s, head, row, k);
  let best = 0;
  for (let k = 1; k <= row; k++) if (share(stage, k) > share(stage, best)) best = k;
  const [now, first] = [share(stage, best), share(0, best)].map(p => exactly(p, 0));
  return (
    `${capital(after)} the loss is ${losses[stage].toFixed(2)} nats per token. In ` +
    `${headName(view, head)}, “${names[row]}” looks most at “${names[best]}”, with ${now}` +
    `${stage ? ` (${first} at the start)` : ""}.`
  );
}

export default start(draw);
