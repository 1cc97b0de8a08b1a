// All heads as thumbnails, one head large, one token's row as a sentence and as arcs.

import { probsOf } from "../engine/sample.js";
import { addHeadTiles } from "./attention.tiles.js";
import { shape } from "./common.charts.js";
import { BLUE, colorScale, css, rgb, shade, signed, signedScale } from "./common.colors.js";
import { choice, setChecked } from "./common.controls.js";
import { addHeadline, button, el, liveRegion } from "./common.elements.js";
import {
  bigPicture,
  KEPT,
  lockedRows,
  markRow,
  matrixOf,
  rowButtons,
} from "./common.matrix.js";
import { promptLine } from "./common.questions.js";
import { halves, onChange, save, setShared } from "./common.traits.js";
import {
  bitsOf,
  capital,
  headName,
  labels,
  plural,
  readable,
  rounded,
  sum,
} from "./common.words.js";
import { start } from "./start.js";

const MASKS = {
  before: "before the softmax (GPT-1)",
  after: "after the softmax",
  none: "no mask",
};
const POINT = "Point at a cell for its weight. A click keeps its row, Escape lets it go.";

function draw(model, root) {
  const view = { model, dark: root.classList.contains("gx-dark") };
  view.finding = addHeadline(root, "go on to the sharpest look back", () => goSharp(view));
  if (model.get("editable")) promptLine(model, root);
  const box = el("div", "", root);
  view.said = liveRegion(root);
  view.arcs = el("div", "gx-scroll gx-arcs", root);
  model.on("change:data", () => fill(view, box));
  followPython(view);
  fill(view, box);
}

// What is as large as the text is drawn anew with it. The line of text is not, someone may be
// typing there; nor is what is read aloud, a new element would not be.
function fill(view, box) {
  readAttention(view);
  box.replaceChildren();
  const cols = el("div", "gx-cols", box);
  const left = el("div", "", cols);
  const right = el("div", "gx-scroll", cols);
  addTiles(view, left);
  addLegend(view, left);
  addChoices(view, left);
  addMatrix(view, right);
  addBeside(view, left);
  show(view);
}

function readAttention(view) {
  const { model } = view;
  const tokens = model.get("tokens");
  Object.assign(view, { T: tokens.length, names: labels(tokens) });
  Object.assign(view, { L: model.get("n_layer"), H: model.get("n_head") });
  view.scores = model.get("scores").byteLength ? halves(model, "scores") : null;
  view.masked = halves(model, "data"); // (L, H, T, T), as are scores and weights
  view.mask = view.scores ? model.get("mask") : "before";
  view.weights = weightsOf(view);
  view.pinned = model.get("pinned");
  view.head = model.get("head");
  view.row = Math.min(model.get("row"), view.T - 1);
}

function followPython(view) {
  const { model } = view;
  onChange(view, ["pinned"], () => show(view));
  onChange(view, ["head"], () => show(view));
  onChange(view, ["row"], () => showRow(view));
  model.on("change:mask", () => {
    if (!view.scores || model.get("mask") === view.mask) return;
    view.picker.set(model.get("mask"));
    setMask(view, model.get("mask"));
  });
}

// ---- weights under each place of the mask

const weightAt = ({ weights, T }, head, q, k) => weights[(head * T + q) * T + k];

// The latest token that row q sees.
const lastSeen = (view, q) => (view.mask === "none" ? view.T - 1 : q);

function weightsOf({ mask, masked, scores, T }) {
  if (mask === "before") return masked;
  const weights = new Float32Array(scores.length);
  for (let i = 0; i < weights.length; i += T) {
    const q = (i / T) % T;
    weights.set(probsOf(scores.subarray(i, i + T)), i);
    if (mask === "after") weights.fill(0, i + q + 1, i + T);
  }
  return weights;
}

// What the row would give to later tokens.
function laterShare({ scores, head, row, T }) {
  const i = (head * T + row) * T;
  return sum(probsOf(scores.subarray(i, i + T)).subarray(row + 1));
}

// Half the sum of differences from the head that is kept: 0 alike, 1 apart.
function distance(view) {
  const { head, pinned, row, T } = view;
  let total = 0;
  for (let k = 0; k < T; k++) {
    total += Math.abs(weightAt(view, head, row, k) - weightAt(view, pinned, row, k));
  }
  return total / 2;
}

// ---- the tiles: all heads

function addTiles(view, parent) {
  const { L, H } = view;
  el("p", "gx-title", parent, `All ${L * H} heads`);
  view.tiles = addHeadTiles(parent, view, 370, head => select(view, head));
  view.tiles.forEach((b, head) => {
    b.setAttribute("aria-label", headName(view, head));
    paint(view, b.firstChild, head);
  });
}

function select(view, head) {
  setShared(view, { head });
  show(view);
}

// A pixel a weight; what is masked stays clear and lets the hatching through.
function paint(view, canvas, head) {
  const { T, dark } = view;
  canvas.width = canvas.height = T;
  const ctx = canvas.getContext("2d");
  for (let q = 0; q < T; q++) {
    const last = lastSeen(view, q);
    for (let k = 0; k <= last; k++) {
      ctx.fillStyle = css(rgb(weightAt(view, head, q, k), dark));
      ctx.fillRect(k, q, 1, 1);
    }
  }
}

// The weights of a head minus those of another: three by three pixels each, and the middle
// line bare where that is below 0, since blue and red are alike in black and white.
function paintChange(view, canvas, head, other) {
  const { T, dark } = view;
  canvas.width = canvas.height = 3 * T;
  const ctx = canvas.getContext("2d");
  for (let q = 0; q < T; q++) {
    const last = lastSeen(view, q);
    for (let k = 0; k <= last; k++) {
      const change = weightAt(view, head, q, k) - weightAt(view, other, q, k);
      ctx.fillStyle = dark ? "#000" : "#fff";
      ctx.fillRect(3 * k, 3 * q, 3, 3);
      ctx.fillStyle = signed(change, dark);
      for (const line of change < 0 ? [0, 2] : [0, 1, 2]) {
        ctx.fillRect(3 * k, 3 * q + line, 3, 1);
      }
    }
  }
}

// ---- below the tiles: colors, facts of the head, place of the mask, a head to keep

function addLegend(view, parent) {
  const scale = colorScale(parent, view.dark, "0", "1   weight");
  el("span", "gx-hatch", scale).style.cssText = "width:18px;height:9px;margin-left:12px";
  el("span", "", scale, "masked (later tokens)");
  view.facts = el("p", "gx-note", parent);
}

function addChoices(view, parent) {
  if (view.scores) {
    view.picker = choice(parent, "mask", MASKS, view.mask, mask => {
      save(view.model, { mask });
      setMask(view, mask);
    });
  }
  view.pin = button(parent, "Keep this head to compare", () => {
    setShared(view, { pinned: view.pinned === view.head ? -1 : view.head });
    show(view);
  });
}

function setMask(view, mask) {
  view.mask = mask;
  view.weights = weightsOf(view);
  view.tiles.forEach((b, head) => {
    paint(view, b.firstChild, head);
  });
  show(view);
}

// The head that is kept, and what the one that is shown has more or less of.
function addBeside(view, parent) {
  view.beside = el("div", "gx-beside", parent);
  const box = () => {
    const figure = el("div", "", view.beside);
    const title = el("p", "gx-title", figure);
    const canvas = el("canvas", "gx-big gx-hatch", figure);
    canvas.setAttribute("role", "img");
    return { figure, title, canvas };
  };
  view.second = box();
  view.change = box();
  signedScale(view.change.figure, "−1 (striped)", "1", view.dark);
}

function showPinned(view) {
  const { pinned, head, second, change } = view;
  view.pin.textContent = pinned === head ? "Let it go" : "Keep this head to compare";
  view.beside.hidden = pinned < 0 || pinned === head;
  if (view.beside.hidden) return;
  const name = headName(view, pinned);
  paint(view, second.canvas, pinned);
  second.title.textContent = `${capital(name)}, kept`;
  second.canvas.setAttribute("aria-label", `${name}, kept for comparison`);
  change.title.textContent = "Shown minus kept";
  change.canvas.setAttribute("aria-label", `${headName(view, head)} minus ${name}`);
  paintChange(view, change.canvas, head, pinned);
}

// ---- the matrix: one head large

const cellSize = T => Math.max(12, Math.min(30, Math.floor(380 / T)));

function addMatrix(view, parent) {
  const { T, names } = view;
  view.title = el("p", "gx-title", parent);
  const size = cellSize(T);
  const matrix = matrixOf(parent, names, T, size, size);
  const rows = lockedRows(
    parent.parentElement,
    q => setRow(view, q),
    () => showCell(view),
  );
  rowButtons(matrix, names, name => `from ${name}`, rows);
  const overCell = (q, k) => {
    if (q != null) rows.over(q);
    showCell(view, q, k);
  };
  const big = bigPicture(matrix, T, "gx-big gx-hatch", overCell, rows.lock);
  Object.assign(view, { rows, big: big.canvas, mark: big.mark });
  view.value = el("p", "gx-note", parent);
  matrix.addEventListener("keydown", e => stepColumn(view, e));
}

// Left and right read the weights of the row one by one.
function stepColumn(view, e) {
  const d = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
  if (!d) return;
  e.preventDefault();
  const last = view.T - 1;
  view.column = Math.max(0, Math.min(last, (view.column ?? (d < 0 ? last + 1 : -1)) + d));
  showCell(view, view.row, view.column);
}

function showCell(view, q, k) {
  const { names, head, rows } = view;
  const locked = rows.locked >= 0;
  view.mark.classList.toggle("gx-locked", locked);
  if (q == null) view.value.textContent = locked ? KEPT : POINT;
  else {
    const masked = k > lastSeen(view, q);
    const weight = masked ? "masked" : weightAt(view, head, q, k).toFixed(3);
    view.value.textContent = `${names[q]} → ${names[k]}: ${weight}`;
  }
}

function show(view) {
  const { head, T } = view;
  const name = headName(view, head);
  const which = view.mask === "none" ? "no mask" : "later tokens masked";
  setChecked(view.tiles, head);
  paint(view, view.big, head);
  showPinned(view);
  view.title.textContent = `${capital(name)}: from each row to each column`;
  view.big.setAttribute("aria-label", `${name}: ${T} by ${T} attention weights, ${which}`);
  view.facts.textContent = `${name}: ${factsOf(view)}.`;
  showRow(view);
}

function factsOf(view) {
  const { head, T } = view;
  let entropy = 0;
  let reach = 0;
  for (let q = 0; q < T; q++) {
    const last = lastSeen(view, q);
    for (let k = 0; k <= last; k++) {
      const weight = weightAt(view, head, q, k);
      entropy += bitsOf(weight);
      reach += weight * (q - k);
    }
  }
  const way = `${reach < 0 ? "ahead" : "back"} ${Math.abs(reach / T).toFixed(1)} tokens`;
  return `looks ${way} on average; entropy ${(entropy / T).toFixed(2)} bits`;
}

// ---- one row: a sentence, and arcs or shaded words

function setRow(view, q) {
  if (q === view.row) return;
  setShared(view, { row: q });
  showRow(view);
}

function showRow(view) {
  const { names, head, row, T } = view;
  const weight = k => weightAt(view, head, row, k);
  const keys = names.map((_, k) => k).filter(k => k <= lastSeen(view, row));
  keys.sort((a, b) => weight(b) - weight(a));
  markRow(view.rows.buttons, row);
  view.mark.style.transform = `translateY(${100 * row}%)`;
  view.column = undefined;
  showCell(view);
  view.said.textContent = rowSentence(view, keys);
  view.finding.textContent = finding(view, keys[0]);
  view.arcs.replaceChildren();
  if (T > MOST_ARCS) drawWords(view);
  else drawArcs(view);
}

// The row as a headline: whom it looks at, or what a wrong mask does to it.
function finding(view, best) {
  const { names, head, row, mask, T } = view;
  const [word, later] = [`“${names[row]}”`, mask === "before" ? 0 : laterShare(view)];
  if (mask === "none" && row < T - 1)
    return `Without a mask, ${word} gives ${rounded(later)} of its weight to later tokens.`;
  if (mask === "after" && row < T - 1)
    return `Masked after the softmax, the row of ${word} sums to ${rounded(1 - later)} only.`;
  const whom = best === row ? "itself" : `“${names[best]}”`;
  const share = rounded(weightAt(view, head, row, best));
  return `In ${headName(view, head)}, ${word} looks most at ${whom}: ${share}.`;
}

// On to the head and row that look hardest at one token further back, and from there to the
// next hardest; the first token does not count, heads look at it that have nothing to say.
function goSharp(view) {
  const { L, H, T, head, row } = view;
  const found = [];
  for (let h = 0; h < L * H; h++) {
    for (let q = 3; q < T; q++) found.push([Math.max(...earlier(view, h, q)), h, q]);
  }
  if (!found.length) return;
  found.sort((a, b) => b[0] - a[0]);
  const here = found.findIndex(([, h, q]) => h === head && q === row);
  const [, to, q] = found[(here < 8 ? here + 1 : 0) % found.length];
  setShared(view, { head: to, row: q });
  show(view);
}

// The weights of a row on the tokens between the first and the one before it.
const earlier = (view, head, row) =>
  Array.from({ length: Math.max(0, row - 2) }, (_, k) => weightAt(view, head, row, k + 1));

function rowSentence(view, keys) {
  const { names, head, row, pinned } = view;
  const share = k => `${rounded(weightAt(view, head, row, k))} to “${names[k]}”`;
  const apart = pinned >= 0 && pinned !== head;
  return (
    `“${names[row]}” attends ${keys.slice(0, 3).map(share).join(", ")}${maskSentence(view)}` +
    (apart ? ` It differs by ${rounded(distance(view))} from ${headName(view, pinned)}.` : "")
  );
}

function maskSentence(view) {
  const { mask, row, T } = view;
  const n = T - 1 - row;
  if (n === 0) return ". It is the last token and may see all.";
  if (mask === "before")
    return `. The ${plural(n, "later token")} ${n > 1 ? "are" : "is"} masked.`;
  const later = laterShare(view);
  return mask === "none"
    ? `. ${rounded(later)} go to later tokens: without a mask it sees the answers.`
    : `. The ${plural(n, "later token")} ${n > 1 ? "were" : "was"} cut after the softmax: ` +
        `the row adds up to ${rounded(1 - later)} only.`;
}

const MOST_ARCS = 24; // tokens; more are shown as a text, shaded
const ARCS = 78; // their height in pixels

// The row over the sentence: thick is much.
function drawArcs(view) {
  const { names, head, row, T } = view;
  const last = lastSeen(view, row);
  const step = Math.max(46, Math.min(84, 900 / T));
  const x = k => (k + 0.5) * step;
  const [width, height] = [step * T, ARCS + 34];
  const box = { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" };
  const svg = shape("svg", view.arcs, box); // hidden: the sentence above says it
  svg.style.maxWidth = "none";
  for (let k = 0; k <= last; k++) {
    const weight = weightAt(view, head, row, k);
    if (weight >= 0.005) arc(svg, x(row), x(k), Math.abs(row - k), weight);
    const at = { x: x(k), y: ARCS + 29, "text-anchor": "middle" };
    if (weight >= 0.05) shape("text", svg, at, rounded(weight));
  }
  const most = Math.floor(step / 6.6);
  names.forEach((name, k) => {
    const style = {
      "text-anchor": "middle",
      "font-weight": k === row ? 700 : 400,
      opacity: k > last ? 0.45 : 1,
    };
    const short = name.length > most ? `${name.slice(0, most - 1)}…` : name;
    shape("text", svg, { x: x(k), y: ARCS + 13, ...style }, short);
  });
}

function arc(svg, from, to, apart, weight) {
  const top = ARCS - 1.3 * Math.min(ARCS - 6, 14 + 9 * apart);
  const near = ARCS - 26;
  const d =
    apart === 0 // a token that attends to itself
      ? `M${to - 7} ${ARCS}C${to - 14} ${near} ${to + 14} ${near} ${to + 7} ${ARCS}`
      : `M${from} ${ARCS}C${from} ${top} ${to} ${top} ${to} ${ARCS}`;
  const width = (1 + 9 * weight).toFixed(1);
  const opacity = (0.3 + 0.7 * weight).toFixed(2);
  const stroke = { stroke: BLUE, "stroke-width": width, "stroke-opacity": opacity };
  shape("path", svg, { d, fill: "none", ...stroke });
}

// A long text: each word as dark as the row's weight on it.
function drawWords(view) {
  const { head, row } = view;
  const text = el("p", "gx-shaded", view.arcs);
  const last = lastSeen(view, row);
  view.model.get("tokens").forEach((piece, k) => {
    const word = el("span", k === row ? "gx-from" : "", text, readable(piece));
    if (k <= last) shade(word, weightAt(view, head, row, k), view.dark);
    else word.style.opacity = 0.55;
    if (piece.endsWith("</w>")) text.append(" ");
  });
}

export default start(draw, "attention");
