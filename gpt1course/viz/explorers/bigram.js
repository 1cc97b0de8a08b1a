// A table of what follows what: pick a row, see its distribution, let the table write.

import { mulberry } from "../engine/numbers.js";
import { argmax, drawFrom } from "../engine/sample.js";
import { bars } from "./common.bars.js";
import { colorScale, css, rgb } from "./common.colors.js";
import { addHeadline, button, el, liveRegion } from "./common.elements.js";
import {
  bigPicture,
  KEPT,
  lockedRows,
  markRow,
  matrixOf,
  rowButtons,
} from "./common.matrix.js";
import { halves, onChange, setShared } from "./common.traits.js";
import { bitsOf, evenly, percent, readable, rounded } from "./common.words.js";
import { start } from "./start.js";

const POINT = "Point at a cell for its share. A click keeps its row, Escape lets it go.";

function draw(model, root) {
  const names = model.get("names").map(name => (name === " " ? "␣" : readable(name)));
  const probs = halves(model, "data"); // (V, V)
  const view = { model, names, probs, V: names.length, row: model.get("row") };
  view.dark = root.classList.contains("gx-dark");
  view.widest = probs.reduce((a, b) => Math.max(a, b), 0);
  view.random = mulberry(1);
  const tip = "go to the row that is hardest to guess";
  view.finding = addHeadline(root, tip, () => pick(view, openest(view)));
  const cols = el("div", "gx-cols", root);
  const left = el("div", "gx-scroll", cols);
  const right = el("div", "gx-aside", cols);
  addMatrix(view, left);
  colorScale(left, view.dark, "0%", rounded(view.widest));
  view.value = el("p", "gx-note", left);
  view.title = el("p", "gx-title", right);
  view.list = el("ol", "gx-bars gx-short", right);
  view.said = liveRegion(right);
  addWriting(view, right);
  onChange(view, ["row"], () => show(view));
  show(view);
}

// ---- the matrix

function addMatrix(view, parent) {
  const { names, V } = view;
  const size = Math.max(9, Math.min(26, Math.floor(440 / V)));
  el("p", "gx-title", parent, "From each row to each column: what follows");
  const matrix = matrixOf(parent, names, V, size, size, "gx-letter");
  const rows = lockedRows(
    parent.parentElement,
    i => pick(view, i),
    () => showCell(view),
  );
  rowButtons(matrix, names, name => `row ${name}`, rows);
  const over = (i, j) => {
    if (i != null) rows.over(i);
    showCell(view, i, j);
  };
  const big = bigPicture(matrix, V, "gx-big", over, rows.lock);
  big.canvas.setAttribute("aria-label", `${V} by ${V} table of probabilities`);
  Object.assign(view, { rows, mark: big.mark });
  paint(view, big.canvas);
}

function paint({ probs, V, widest, dark }, canvas) {
  canvas.width = canvas.height = V;
  const ctx = canvas.getContext("2d");
  for (let i = 0; i < V; i++) {
    for (let j = 0; j < V; j++) {
      ctx.fillStyle = css(rgb(probs[i * V + j] / widest, dark));
      ctx.fillRect(j, i, 1, 1);
    }
  }
}

function showCell({ names, probs, V, rows, mark, value }, i, j) {
  const locked = rows.locked >= 0;
  mark.classList.toggle("gx-locked", locked);
  if (i == null) value.textContent = locked ? KEPT : POINT;
  else value.textContent = `${names[i]} → ${names[j]}: ${percent(probs[i * V + j])}`;
}

// ---- one row

const rowOf = ({ probs, V }, i) => probs.subarray(i * V, (i + 1) * V);

function pick(view, i) {
  if (i === view.row) return;
  setShared(view, { row: i });
  show(view);
}

function show(view) {
  const { names, row, list } = view;
  const probs = rowOf(view, row);
  markRow(view.rows.buttons, row);
  view.mark.style.transform = `translateY(${100 * row}%)`;
  showCell(view);
  view.title.textContent = `After ${names[row]} (full bar: 100%)`;
  const order = names.map((_, j) => j).sort((a, b) => probs[b] - probs[a]);
  bars(list, rowsOf(names, probs, order));
  const entropy = entropyOf(probs);
  const [best, share] = [names[order[0]], rounded(probs[order[0]])];
  view.finding.textContent = `After “${names[row]}” comes “${best}” in ${share} of all cases.`;
  view.said.textContent =
    `After ${names[row]}, most often ${names[order[0]]} (${percent(probs[order[0]])}). ` +
    `Entropy of the row: ${entropy.toFixed(2)} bits, ${evenly(entropy)}.`;
}

// The twelve largest shares; where many are equally small, one row for all of these.
function rowsOf(names, probs, order) {
  const row = j => [names[j], probs[j], percent(probs[j])];
  const least = probs[order.at(-1)];
  const larger = order.filter(j => probs[j] > least);
  const n = order.length - larger.length;
  if (larger.length > 10 || n < 3) return order.slice(0, 12).map(row);
  return [...larger.map(row), [`${n} others`, least, `${percent(least)} each`]];
}

const entropyOf = probs => probs.reduce((total, p) => total + bitsOf(p), 0);

// The row with the most even shares; seen from there, the one with the least even.
function openest(view) {
  const found = Array.from({ length: view.V }, (_, i) => entropyOf(rowOf(view, i)));
  const most = argmax(found);
  return most === view.row ? argmax(found.map(v => -v)) : most;
}

// ---- the table writes

function addWriting(view, parent) {
  button(parent, "Write eight words", () => {
    text.textContent = Array.from({ length: 8 }, () => walk(view)).join(" ");
  });
  const text = el("p", "gx-walk", parent, "");
}

// From space to space; where the table has none, twelve steps from its row.
function walk(view) {
  const space = view.names.indexOf("␣");
  let at = space < 0 ? view.row : space;
  let word = "";
  for (let n = 0; n < (space < 0 ? 12 : 30); n++) {
    at = drawFrom(rowOf(view, at), view.random());
    if (at === space && word) break;
    if (at !== space) word += view.names[at];
  }
  return word;
}

export default start(draw);
