// The logit lens: rows are states on the way down, as in the map; columns are tokens, cells
// the best guess.

import { bars } from "./common.bars.js";
import { colorScale, shade } from "./common.colors.js";
import { choice } from "./common.controls.js";
import { addHeadline, el, liveRegion, tableRow } from "./common.elements.js";
import { promptLine } from "./common.questions.js";
import { onChange, setShared } from "./common.traits.js";
import { commas, labels, minus, named, percent, readable } from "./common.words.js";
import { start } from "./start.js";

const DETAILS = { blocks: "after each block", all: "all, before and after each LayerNorm" };
const COLORINGS = { own: "probability of the guess", final: "rank of the final answer" };
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function draw(model, root) {
  const view = { model, stage: model.get("stage"), detail: false, coloring: "own" };
  view.dark = root.classList.contains("gx-dark");
  read(view);
  view.finding = addHeadline(root, "follow the token before", () => {
    const place = (view.place || view.names.length) - 1;
    setShared(view, { place });
    show(view);
    reveal(view);
  });
  promptLine(model, root);
  choice(root, "show", DETAILS, "blocks", which => {
    view.detail = which === "all";
    drawGrid(view);
  });
  choice(root, "color", COLORINGS, "own", which => {
    view.coloring = which;
    drawGrid(view);
  });
  view.scroller = el("div", "gx-scroll", root);
  view.table = el("div", "gx-matrix gx-lens", view.scroller);
  view.table.setAttribute("role", "grid");
  view.table.setAttribute(
    "aria-label",
    "guesses: a row for each block, a column for each token",
  );
  addMoves(view);
  view.scale = el("div", "", root);
  const cols = el("div", "gx-cols", root);
  addGuesses(view, el("div", "", cols));
  addWay(view, el("div", "gx-scroll", cols));
  view.said = liveRegion(root);
  onChange(view, ["stage", "place"], () => view.place < view.names.length && show(view));
  model.on("change:stages", () => {
    read(view);
    drawGrid(view);
    reveal(view);
  });
  drawGrid(view);
  requestAnimationFrame(() => reveal(view));
}

function read(view) {
  const { model } = view;
  Object.assign(view, { names: labels(model.get("tokens")), stages: model.get("stages") });
  view.place = Math.min(model.get("place"), view.names.length - 1);
}

function addGuesses(view, parent) {
  view.title = el("p", "gx-title", parent);
  view.list = el("ol", "gx-bars", parent);
  view.list.style.width = "min(340px, 100%)";
  parent.style.flex = "0 1 340px";
}

function addWay(view, parent) {
  el("p", "gx-title", parent, "This token, by block");
  view.way = el("table", "gx-table gx-way", parent);
}

// Indices of the states that are rows of the grid, from above.
function shownStages({ stages, detail }) {
  const indices = stages.map((_, i) => i);
  const ends = ["embeddings", "LayerNorm 2"];
  return detail ? indices : indices.filter(i => ends.includes(stages[i].name));
}

function stageName({ detail }, { block, name }) {
  if (block < 0) return "embeddings";
  return detail ? `block ${block}: ${name}` : `block ${block}`;
}

// ---- the grid

function drawGrid(view) {
  const { names, stages, table } = view;
  const rows = shownStages(view);
  if (!rows.includes(view.stage)) view.stage = rows.at(-1);
  table.replaceChildren();
  table.style.gridTemplateColumns = `auto repeat(${names.length}, minmax(52px, 92px))`;
  view.cells = new Map();
  addReadTokens(view);
  for (const stage of rows) {
    const line = gridRow(table);
    el("span", "gx-row", line, stageName(view, stages[stage])).setAttribute(
      "role",
      "rowheader",
    );
    names.forEach((_, place) => {
      view.cells.set(`${stage},${place}`, cell(view, line, stage, place));
    });
  }
  drawScale(view);
  show(view);
}

function addReadTokens({ table, names }) {
  const line = gridRow(table);
  el("span", "gx-row", line).setAttribute("role", "rowheader");
  for (const name of names) {
    const label = el("span", "gx-lab gx-read", line, short(name));
    label.setAttribute("role", "columnheader");
    label.title = name;
  }
}

function gridRow(table) {
  const line = el("div", "gx-line", table);
  line.setAttribute("role", "row");
  return line;
}

function drawScale({ model, scale, coloring, dark }) {
  const last = `rank ${commas(model.get("n_vocab"))}`;
  scale.replaceChildren();
  colorScale(scale, dark, ...(coloring === "own" ? ["0%", "100%"] : [last, "rank 1"]));
}

const short = name => (name.length > 9 ? `${name.slice(0, 8)}…` : name);

// No button: Chromium cuts off what stands over the edge of each, and a frame with many such
// takes it long to put together.
function cell(view, line, stage, place) {
  const state = view.stages[stage];
  const [piece, p] = state.top[place][0];
  const rank = state.rank[place];
  const where = `${stageName(view, state)}, after ${view.names[place]}`;
  const c = el("div", "gx-cell", line, short(readable(piece)));
  c.setAttribute("role", "gridcell");
  c.dataset.at = `${stage},${place}`;
  mark(c, false);
  const known = 1 - Math.log(rank) / Math.log(view.model.get("n_vocab"));
  shade(c, view.coloring === "own" ? p : known, view.dark);
  const final = `the final answer has rank ${commas(rank)}`;
  c.title = c.ariaLabel = `${where}: ${named(piece)} ${percent(p)}; ${final}`;
  return c;
}

function addMoves(view) {
  const go = (stage, place) => {
    if (!find(view, stage, place)) return;
    setShared(view, { stage, place });
    show(view);
    find(view, stage, place).focus({ preventScroll: true });
    reveal(view);
  };
  view.table.addEventListener("click", e => {
    const at = e.target.dataset.at;
    if (at) go(...at.split(",").map(Number));
  });
  view.table.addEventListener("keydown", e => {
    const move = MOVES[e.key];
    if (!move) return;
    e.preventDefault();
    const rows = shownStages(view);
    go(rows[rows.indexOf(view.stage) + move[0]], view.place + move[1]);
  });
}

// Sideways only: the page itself stays where it is.
function reveal(view) {
  const { scroller } = view;
  if (scroller.scrollWidth <= scroller.clientWidth) return;
  const cell = find(view, view.stage, view.place);
  const names = scroller.querySelector(".gx-row").offsetWidth;
  const [from, to] = [cell.offsetLeft - scroller.offsetLeft, cell.offsetWidth + 4];
  if (from - names < scroller.scrollLeft) scroller.scrollLeft = from - names;
  const over = from + to - scroller.clientWidth;
  if (over > scroller.scrollLeft) scroller.scrollLeft = over;
}

const find = (view, stage, place) => view.cells.get(`${stage},${place}`);

// ---- one state of one token

function show(view) {
  const { stages, stage, place } = view;
  const state = stages[stage];
  mark(view.chosen, false);
  view.chosen = find(view, stage, place);
  mark(view.chosen, true);
  view.title.textContent = `${stageName(view, state)}, after “${view.names[place]}”`;
  bars(
    view.list,
    state.top[place].map(([piece, p]) => [named(piece), p, percent(p)]),
  );
  showWay(view);
  const [piece, p] = state.top[place][0];
  view.said.textContent =
    `Read at ${stageName(view, state)}, the state of “${view.names[place]}” predicts ` +
    `“${named(piece)}” with ${percent(p)}; the final answer, ` +
    `“${named(stages.at(-1).top[place][0][0])}”, has rank ${commas(state.rank[place])} there.`;
  view.finding.textContent = findingOf(view);
}

// From which state on the final answer is the best guess.
function findingOf({ names, stages, place }) {
  const [piece, p] = stages.at(-1).top[place][0];
  const last = stages.findLastIndex(stage => stage.top[place][0][0] !== piece);
  const since = stages[last + 1];
  const where = since.block < 0 ? "from the start" : `from block ${since.block} on`;
  const leads = `“${named(piece)}” leads ${where}, at the end with ${percent(p)}`;
  return `After “${names[place]}”, ${leads}.`;
}

function mark(cell, on) {
  if (!cell) return;
  cell.classList.toggle("gx-chosen", on);
  cell.setAttribute("aria-selected", on);
  cell.tabIndex = on ? 0 : -1;
}

function showWay(view) {
  const { stages, place, way } = view;
  way.replaceChildren();
  tableRow(way, "th", ["state", "shape", "mean", "std", "best guess", "final answer’s rank"]);
  for (const i of shownStages(view)) {
    const { shape, mean, std, top, rank } = stages[i];
    const numbers = [mean[place], std[place]].map(v => minus(v.toFixed(2)));
    const texts = [stageName(view, stages[i]), `(${shape.join(", ")})`, ...numbers];
    const cls = i === view.stage ? "gx-here-row" : "";
    tableRow(way, "td", [...texts, named(top[place][0][0]), commas(rank[place])], cls);
  }
}

export default start(draw, "journey");
