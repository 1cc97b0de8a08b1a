// The front page: type, see what may come next, look at the heads, let it write.

import { argmax, probsOf, ranked } from "../../gpt1course/viz/engine/sample.js";
import { bars } from "../../gpt1course/viz/explorers/common.bars.js";
import {
  colorScale,
  isDark,
  rgb,
  shade,
} from "../../gpt1course/viz/explorers/common.colors.js";
import {
  radio,
  setChecked,
  slider,
  textInput,
} from "../../gpt1course/viz/explorers/common.controls.js";
import { button, el, liveRegion } from "../../gpt1course/viz/explorers/common.elements.js";
import {
  commas,
  labels,
  named,
  percent,
  readable,
  sum,
} from "../../gpt1course/viz/explorers/common.words.js";

const BEGINNING = "When the door was shut, she closed her";
const SHOWN = 10; // next tokens
const MOST = 40; // tokens whose attention is drawn
const WRITTEN = 60; // tokens
const LETTERS = 10_000; // that may be typed
const QUIET = 700; // milliseconds without a change, until it is spoken
const [LAYERS, HEADS] = [4, 4];
const OPENS = 11; // the head whose “her” looks at “she”
const ROWS =
  "A row for each token that looks, a column for each that is looked at. Choose a head here, " +
  "and the token above.";
const ABSENT = "_static/engine.js is missing or damaged";
const EMPTY = "Nothing is typed: the model begins where a new line begins.";

function front(root, engine, text) {
  const view = { root, engine, temperature: 1, head: OPENS, row: 0, waiting: false };
  view.dark = isDark(root);
  root.classList.toggle("gx-dark", view.dark);
  addInput(view, text);
  addWords(view);
  const cols = el("div", "gx-cols", root);
  const left = el("div", "gx-aside", cols);
  addNext(view, left);
  addWriting(view, left);
  addHeads(view, el("div", "", cols));
  ask(view);
}

function addInput(view, text) {
  const row = el("div", "page-ask", view.root);
  const label = el("label", "gx-title", row, "Begin a sentence");
  view.input = textInput(row, label, text, () => {});
  view.input.classList.add("page-input");
  view.input.maxLength = LETTERS;
  view.input.addEventListener("input", () => ask(view));
}

// Asks for the newest text; what is typed while the model reads is asked for afterwards.
async function ask(view) {
  clearTimeout(view.late); // nothing more is said of the text before
  if (view.waiting) return;
  view.waiting = true;
  for (let text = null; text !== view.input.value; ) {
    text = view.input.value;
    try {
      Object.assign(view, await answered(view, text));
      showText(view);
    } catch (error) {
      view.status.textContent = `This cannot be computed: ${error.message}.`;
    }
  }
  view.waiting = false;
}

async function answered({ engine, pieces }, text) {
  const [logits, notice, attention, all] = await Promise.all([
    engine.ask("next", text),
    engine.ask("notice", text, 256),
    engine.ask("attention", text, MOST).catch(error => ({ error: error.message })),
    pieces ?? engine.ask("pieces"),
  ]);
  return { text, logits, notice, attention, pieces: all };
}

function showText(view) {
  view.status.textContent = view.text.trim() ? view.notice : EMPTY;
  showNext(view);
  showWords(view);
  showHeads(view);
}

// ---- the words that were read: a row of each head's picture, to be chosen

function addWords(view) {
  view.words = el("div", "page-words", view.root);
  view.words.setAttribute("role", "radiogroup");
  view.words.setAttribute("aria-label", "token that looks");
  view.looks = el("p", "page-looks", view.root);
  view.status = el("p", "gx-note page-status", view.root, "The model is being loaded ...");
  byArrows(view.words, { ArrowLeft: -1, ArrowRight: 1 }, step => {
    const to = view.row + step;
    if (view.chips[to]) pickRow(view, to).focus();
  });
}

function showWords(view) {
  const { pieces = [] } = view.attention;
  view.words.replaceChildren();
  view.chips = pieces.map((piece, i) => {
    const chip = radio(view.words, readable(piece), () => pickRow(view, i));
    chip.className = "page-word";
    return chip;
  });
  view.row = pieces.length - 1;
}

function pickRow(view, row) {
  view.row = row;
  showRow(view, "polite");
  return view.chips[row];
}

// Shades each token by how much the chosen one looks at it, in the chosen head. live: what is
// said of it is spoken after a choice, and not at each letter that is typed.
function showRow(view, live = "off") {
  const { attention, chips, dark, head, row, looks } = view;
  setChecked(chips, row);
  looks.setAttribute("aria-live", live);
  looks.textContent = attention.error
    ? `No picture of the heads: ${attention.error}.`
    : lookOf(view, rowOf(view));
  if (attention.error) return;
  const weights = rowOf(view);
  chips.forEach((chip, i) => {
    chip.removeAttribute("style");
    chip.classList.toggle("gx-hatch", i > row);
    if (i <= row) shade(chip, weights[i], dark);
    const seen = i > row ? "comes later, is not seen" : percent(weights[i]);
    chip.title = `${nameOf(head)}: ${seen}`;
  });
}

function rowOf({ attention, head, row }) {
  const T = attention.pieces.length;
  return attention.weights.subarray((head * T + row) * T, (head * T + row + 1) * T);
}

function lookOf({ attention, head, row }, weights) {
  const best = argmax(weights);
  const names = labels(attention.pieces);
  const whom = best === row ? "itself" : `“${names[best]}”`;
  const most = `looks most at ${whom}, ${percent(weights[best])}`;
  return `In ${nameOf(head)}, “${names[row]}” ${most}.`;
}

const nameOf = head => `block ${Math.floor(head / HEADS)}, head ${head % HEADS}`;

// Arrow keys in a box; steps: key -> what move is called with.
function byArrows(box, steps, move) {
  box.addEventListener("keydown", e => {
    const step = steps[e.key];
    if (!step) return;
    e.preventDefault();
    move(step);
  });
}

// ---- what may come next

function addNext(view, box) {
  el("p", "gx-title", box, "What may come next");
  const options = { min: 0.1, max: 2, step: 0.1, value: 1, text: inWords };
  slider(box, "temperature", options, value => {
    view.temperature = value;
    if (view.logits) showNext(view);
  });
  view.bars = el("ol", "gx-bars", box);
  view.others = el("p", "gx-note", box);
  view.said = liveRegion(box);
  view.said.classList.add("page-unseen");
}

function inWords(temperature) {
  const than = temperature < 1 ? "surer" : "more even";
  return `${temperature.toFixed(1)}, ${temperature === 1 ? "as learned" : than}`;
}

function showNext(view) {
  const { logits, temperature, pieces, bars: list, others, text } = view;
  const probs = probsOf(logits, temperature);
  const order = [...ranked(probs).subarray(0, SHOWN)];
  bars(
    list,
    order.map(id => [named(pieces[id]), probs[id], percent(probs[id])]),
  );
  const rest = Math.max(0, 1 - sum(order.map(id => probs[id])));
  others.textContent = `The other ${commas(pieces.length - SHOWN)} tokens: ${percent(rest)}`;
  const best = order[0];
  const sentence =
    `After “${text.slice(-60)}” the likeliest of ${commas(pieces.length)} tokens is ` +
    `“${named(pieces[best])}”, with ${percent(probs[best])}.`;
  clearTimeout(view.late);
  view.late = setTimeout(() => {
    view.said.textContent = sentence;
  }, QUIET);
}

// ---- the heads

function addHeads(view, box) {
  el("p", "gx-title", box, "Where its 16 heads look");
  const grid = el("div", "page-heads", box);
  grid.setAttribute("role", "radiogroup");
  grid.setAttribute("aria-label", "head");
  el("span", "", grid);
  for (let h = 0; h < HEADS; h++) el("span", "gx-lab", grid, `head ${h}`);
  view.tiles = Array.from({ length: LAYERS * HEADS }, (_, head) => addTile(view, grid, head));
  const [n, steps] = [view.tiles.length, { ArrowRight: 1, ArrowLeft: -1 }];
  byArrows(grid, { ...steps, ArrowDown: HEADS, ArrowUp: -HEADS }, step => {
    pick(view, (view.head + step + n) % n).focus();
  });
  const scale = colorScale(box, view.dark, "looks not at all", "only there");
  const later = el("span", "page-later", scale);
  el("i", "gx-hatch", later);
  el("span", "", later, "later: not seen");
  el("p", "gx-note", box, ROWS);
}

function addTile(view, grid, head) {
  if (head % HEADS === 0) el("span", "gx-lab", grid, `block ${Math.floor(head / HEADS)}`);
  const tile = radio(grid, "", () => pick(view, head));
  tile.className = "gx-tile";
  tile.setAttribute("aria-label", nameOf(head));
  el("canvas", "gx-hatch", tile);
  return tile;
}

function pick(view, head) {
  view.head = head;
  setChecked(view.tiles, head);
  if (view.attention) showRow(view, "polite");
  return view.tiles[head];
}

function showHeads(view) {
  const { weights, pieces = [] } = view.attention;
  const T = pieces.length;
  view.tiles.forEach((tile, i) => {
    tile.firstChild.classList.toggle("gx-hatch", T > 0);
    paintMap(tile.firstChild, weights?.subarray(i * T * T, (i + 1) * T * T), T, view.dark);
  });
  setChecked(view.tiles, view.head);
  showRow(view);
}

// A pixel a weight; what comes later stays clear, and the hatching shows through.
function paintMap(canvas, weights, T, dark) {
  canvas.width = canvas.height = Math.max(1, T);
  if (!T) return;
  const image = new ImageData(T, T);
  weights.forEach((weight, i) => {
    if (i % T <= Math.floor(i / T)) image.data.set([...rgb(weight, dark), 255], 4 * i);
  });
  canvas.getContext("2d").putImageData(image, 0, 0);
}

// ---- writing

function addWriting(view, parent) {
  const box = el("div", "page-writing", parent);
  view.button = button(box, "Let it write on", () => (view.stop ? view.stop() : write(view)));
  view.written = el("p", "", box);
  view.seed = 0;
}

async function write(view) {
  const options = { n: WRITTEN, temperature: view.temperature, seed: ++view.seed };
  const heard = ({ text }) => {
    view.written.textContent = text;
  };
  const { answer, stop } = view.engine.write(view.input.value, options, heard);
  view.stop = stop;
  view.button.textContent = "Stop";
  await answer.catch(error => {
    view.status.textContent = `This cannot be written: ${error.message}.`;
  });
  view.stop = null;
  view.button.textContent = "Let it write on";
}

// Answers where there is no engine.
const absent = {
  ask: async () => {
    throw new Error(ABSENT);
  },
  write: () => ({ answer: absent.ask(), stop: () => {} }),
};

// Begun anew when the page turns light or dark; what was typed stays.
function open() {
  const here = document.querySelector("#front");
  const text = here.querySelector(".page-input")?.value ?? BEGINNING;
  here.replaceChildren();
  front(here, globalThis.gpt1 ?? absent, text);
}

new MutationObserver(open).observe(document.documentElement, {
  attributeFilter: ["data-theme"],
});
open();
