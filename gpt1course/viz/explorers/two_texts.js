// One head on two texts side by side, and what the exchanged words move.

import { argmax } from "../engine/sample.js";
import { colorScale, css, rgb, shade } from "./common.colors.js";
import { oneLine, radio, setChecked, textLine } from "./common.controls.js";
import { addHeadline, el, liveRegion, setTip } from "./common.elements.js";
import { bigPicture, lockedRows, markRow, matrixOf, rowButtons } from "./common.matrix.js";
import { request } from "./common.questions.js";
import { halves, onChange, setShared } from "./common.traits.js";
import { headName, labels, rounded, sum } from "./common.words.js";
import { start } from "./start.js";

function draw(model, root) {
  const view = { model, dark: root.classList.contains("gx-dark") };
  view.finding = addHeadline(root, "", () => {
    setShared(view, { head: onward(view) });
    show(view);
  });
  addPrompts(view, root);
  const cols = el("div", "gx-cols", root);
  view.said = liveRegion(root);
  model.on("change:two", () => fill(view, cols));
  onChange(view, ["head"], () => show(view));
  onChange(view, ["row"], () => showRow(view));
  fill(view, cols);
}

// What is as large as the texts; their lines stay, someone may be typing there.
function fill(view, cols) {
  readTexts(view);
  cols.replaceChildren();
  addHeads(view, el("div", "", cols));
  view.panels = view.texts.map(text => addPanel(view, el("div", "gx-scroll", cols), text));
  show(view);
}

function readTexts(view) {
  const { model } = view;
  view.texts = ["one", "two"].map((name, i) => {
    const tokens = model.get("tokens")[i];
    const partner = new Map(model.get("pairs").map(pair => [pair[i], pair[1 - i]]));
    return {
      i,
      names: labels(tokens),
      T: tokens.length,
      weights: halves(model, name),
      partner,
    };
  });
  Object.assign(view, { L: model.get("n_layer"), H: model.get("n_head") });
  Object.assign(view, { head: model.get("head"), row: model.get("row") });
}

function addPrompts({ model }, root) {
  const inputs = ["first", "second"].map((name, i) =>
    textLine(root, name, model.get("texts")[i], "4em", () => send()),
  );
  const status = el("p", "gx-note gx-hint", root);
  const ask = request(model, status, "The model reads ...", "Type a text and press Enter.");
  const send = () => ask({ texts: inputs.map(input => input.value) });
  model.on("change:texts", () => {
    model.get("texts").forEach((text, i) => {
      inputs[i].value = oneLine(text);
    });
  });
}

// ---- all heads: how far the chosen word moves in each

function addHeads(view, parent) {
  const { L, H } = view;
  view.headsTitle = el("p", "gx-title", parent);
  const grid = el("div", "gx-grid", parent);
  grid.style.gridTemplateColumns = `4em repeat(${H}, 46px)`;
  grid.setAttribute("role", "radiogroup");
  grid.setAttribute("aria-label", "attention heads, one row per block; arrow keys move");
  el("span", "gx-lab", grid, "head");
  for (let h = 0; h < H; h++) el("span", "gx-lab", grid, h);
  view.heads = [];
  for (let head = 0; head < L * H; head++) {
    if (head % H === 0) el("span", "gx-lab", grid, `block ${head / H}`);
    const b = radio(grid, "", () => select(view, head));
    b.classList.add("gx-moves");
    view.heads.push(b);
  }
  grid.addEventListener("keydown", e => {
    const d = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: H, ArrowUp: -H }[e.key];
    if (!d) return;
    e.preventDefault();
    if (!view.heads[view.head + d]) return;
    select(view, view.head + d);
    view.heads[view.head].focus();
  });
  colorScale(parent, view.dark, "0%", "100% of its weight");
}

function select(view, head) {
  setShared(view, { head });
  show(view);
}

// ---- the two matrices

const weightAt = ({ weights, T }, head, q, k) => weights[(head * T + q) * T + k];

function addPanel(view, parent, text) {
  const { names, T, i } = text;
  const size = Math.max(9, Math.min(24, Math.floor(260 / T)));
  const title = el("p", "gx-title", parent);
  const matrix = matrixOf(parent, names, T, size, size);
  const pick = q => {
    const other = view.panels?.[1 - i]; // a row kept there stays
    if (!(other?.rows.locked >= 0)) setRow(view, i ? text.partner.get(q) : q);
  };
  const rows = lockedRows(parent.parentElement, pick, () => showLock(view));
  rowButtons(matrix, names, name => `from ${name}`, rows);
  const over = q => q != null && rows.over(q);
  const { canvas, mark } = bigPicture(matrix, T, "gx-big gx-hatch", over, rows.lock);
  return { title, rows, canvas, mark, text };
}

function paint({ dark, head }, { canvas, text }) {
  const { T } = text;
  canvas.width = canvas.height = T;
  const ctx = canvas.getContext("2d");
  for (let q = 0; q < T; q++) {
    for (let k = 0; k <= q; k++) {
      ctx.fillStyle = css(rgb(weightAt(text, head, q, k), dark));
      ctx.fillRect(k, q, 1, 1);
    }
  }
}

function show(view) {
  const name = headName(view, view.head);
  setChecked(view.heads, view.head);
  for (const panel of view.panels) {
    paint(view, panel);
    panel.title.textContent = `${["First", "Second"][panel.text.i]} text, ${name}`;
    panel.canvas.setAttribute("aria-label", `${panel.title.textContent}: attention weights`);
  }
  showRow(view);
}

// ---- one word of both texts

function setRow(view, row) {
  if (row == null || row === view.row) return;
  setShared(view, { row });
  showRow(view);
}

function showLock({ panels }) {
  for (const { rows, mark } of panels) mark.classList.toggle("gx-locked", rows.locked >= 0);
}

function showRow(view) {
  const { texts, panels, row } = view;
  const partner = texts[0].partner.get(row);
  [row, partner].forEach((q, i) => {
    const { rows, mark, text } = panels[i];
    markRow(rows.buttons, q ?? 0);
    mark.hidden = q == null;
    mark.style.transform = `translateY(${100 * (q ?? 0)}%)`;
    mark.style.height = `${100 / text.T}%`;
  });
  view.headsTitle.textContent = `How far “${texts[0].names[row]}” moves in each head`;
  view.shares = view.heads.map((_, head) =>
    partner == null ? 0 : sum(changes(view, head).map(c => Math.abs(c.change))) / 2,
  );
  view.heads.forEach((b, head) => {
    const share = view.shares[head];
    b.textContent = rounded(share);
    b.setAttribute("aria-label", `${headName(view, head)}: ${b.textContent}`);
    shade(b, share, view.dark);
  });
  view.said.textContent = sentence(view, partner);
  view.finding.textContent = findingOf(view);
  const most = argmax(view.shares) === view.head;
  const tip = most ? "a head that hardly notices" : "the head that moves it most";
  setTip(view.finding, `go to ${tip}`);
}

// The head that moves the word most; from there, the one that moves it least.
function onward({ shares, head }) {
  const most = argmax(shares);
  return most === head ? argmax(shares.map(v => -v)) : most;
}

function findingOf({ texts: [{ names }], row, head, shares, ...view }) {
  const where = headName(view, head);
  if (shares[head] < 1e-3) return `“${names[row]}” does not move in ${where}.`;
  return `“${names[row]}” puts ${rounded(shares[head])} of its weight elsewhere in ${where}.`;
}

// What each token has more in the second text; a token of one text alone counts from or to 0.
function changes({ texts: [one, two], row }, head) {
  const partner = one.partner.get(row);
  const found = one.names.map((name, k) => {
    const j = one.partner.get(k);
    const there = j == null ? 0 : weightAt(two, head, partner, j);
    const other = j == null ? name : two.names[j];
    return { name, other, change: there - weightAt(one, head, row, k) };
  });
  two.names.forEach((name, k) => {
    if (two.partner.has(k)) return;
    found.push({ name, other: name, change: weightAt(two, head, partner, k) });
  });
  return found;
}

export function whyStill([one, two], row, partner) {
  const alike = (text, k, other) => other.names[text.partner.get(k)] === text.names[k];
  const same =
    one.names.slice(0, row + 1).every((_, k) => alike(one, k, two)) &&
    two.names.slice(0, partner + 1).every((_, k) => alike(two, k, one));
  if (same) return "up to it the texts are the same, and what comes later is masked";
  return "what differs makes no difference to this head";
}

function sentence(view, partner) {
  const { texts, head, row } = view;
  const name = texts[0].names[row];
  if (partner == null) return `“${name}” has no partner in the second text.`;
  const found = changes(view, head).sort((a, b) => a.change - b.change);
  const share = sum(found.map(c => Math.abs(c.change))) / 2;
  if (share < 1e-3) return `“${name}” does not move: ${whyStill(texts, row, partner)}.`;
  const told = ({ name, other, change }) =>
    `“${name === other ? name : `${name}” or “${other}`}” ${change < 0 ? "−" : "+"}` +
    `${(100 * Math.abs(change)).toFixed(0)} points`;
  return (
    `In ${headName(view, head)}, “${name}” puts ${rounded(share)} of its weight elsewhere in ` +
    `the second text: ${told(found[0])}, ${told(found.at(-1))}.`
  );
}

export default start(draw, "twoTexts");
