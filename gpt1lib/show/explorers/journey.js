// The logit lens: rows are states on the way up, columns are tokens, cells the best guess.

const DETAILS = { blocks: "after each layer", all: "every state, LayerNorm before and after" };
const COLORINGS = { own: "probability of the guess", final: "rank of the final answer" };
const MOVES = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function draw(model, root) {
  const names = labels(model.get("tokens"));
  const view = { model, names, stages: model.get("stages"), detail: false, coloring: "own" };
  view.dark = root.classList.contains("gx-dark");
  view.stage = model.get("stage");
  view.place = model.get("place");
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
  view.table.setAttribute("role", "group");
  view.scale = el("div", "", root);
  const cols = el("div", "gx-cols", root);
  addGuesses(view, el("div", "", cols));
  addWay(view, el("div", "gx-scroll", cols));
  view.said = live(root);
  follow(view, ["stage", "place"], () => show(view));
  drawGrid(view);
  requestAnimationFrame(() => reveal(view));
}

function addGuesses(view, parent) {
  view.title = el("p", "gx-title", parent);
  view.list = el("ol", "gx-bars", parent);
  view.list.style.width = "min(340px, 100%)";
  parent.style.flex = "0 1 340px";
}

function addWay(view, parent) {
  el("p", "gx-title", parent, "The way of this token");
  view.way = el("table", "gx-table", parent);
}

// Indices of the states that are rows of the grid, from below.
function shownStages({ stages, detail }) {
  const indices = stages.map((_, i) => i);
  const ends = ["embeddings", "LayerNorm 2"];
  return detail ? indices : indices.filter(i => ends.includes(stages[i].name));
}

function stageName({ detail }, { block, name }) {
  if (block < 0) return "embeddings";
  return detail ? `layer ${block}: ${name}` : `layer ${block}`;
}

// ---- the grid

function drawGrid(view) {
  const { names, stages, table } = view;
  const rows = shownStages(view);
  if (!rows.includes(view.stage)) view.stage = rows.at(-1);
  table.replaceChildren();
  table.style.gridTemplateColumns = `auto repeat(${names.length}, minmax(52px, 92px))`;
  view.cells = [];
  for (const stage of [...rows].reverse()) {
    el("span", "gx-row", table, stageName(view, stages[stage]));
    names.forEach((_, place) => {
      view.cells.push(cell(view, stage, place));
    });
  }
  el("span", "gx-row", table);
  for (const name of names) el("span", "gx-lab gx-read", table, name).title = name;
  const ends =
    view.coloring === "own" ? ["0%", "100%"] : [`rank ${commas(lastRank(view))}`, "rank 1"];
  view.scale.replaceChildren();
  colorScale(view.scale, view.dark, ...ends);
  show(view);
}

const lastRank = ({ model }) => model.get("n_vocab");

function cell(view, stage, place) {
  const state = view.stages[stage];
  const [piece, p] = state.top[place][0];
  const rank = state.rank[place];
  const where = `${stageName(view, state)}, after ${view.names[place]}`;
  const b = el("button", "gx-cell", view.table, readable(piece));
  b.type = "button";
  const known = 1 - Math.log(rank) / Math.log(lastRank(view));
  shade(b, view.coloring === "own" ? p : known, view.dark);
  const final = `the final answer has rank ${commas(rank)}`;
  b.title = b.ariaLabel = `${where}: ${named(piece)} ${percent(p)}; ${final}`;
  b.addEventListener("click", () => choose(view, stage, place));
  b.addEventListener("keydown", e => {
    const move = MOVES[e.key];
    if (!move) return;
    e.preventDefault();
    const rows = shownStages(view);
    const to = [rows[rows.indexOf(stage) + move[0]], place + move[1]];
    if (!find(view, ...to)) return;
    choose(view, ...to);
    find(view, ...to).focus({ preventScroll: true });
    reveal(view);
  });
  b.dataset.at = `${stage},${place}`;
  return b;
}

// Sideways only: the page itself stays where it is.
function reveal(view) {
  const cell = find(view, view.stage, view.place);
  const names = view.table.firstChild.offsetWidth;
  const { scroller } = view;
  const [from, to] = [cell.offsetLeft - scroller.offsetLeft, cell.offsetWidth + 4];
  if (from - names < scroller.scrollLeft) scroller.scrollLeft = from - names;
  const over = from + to - scroller.clientWidth;
  if (over > scroller.scrollLeft) scroller.scrollLeft = over;
}

const find = (view, stage, place) => view.cells.find(c => c.dataset.at === `${stage},${place}`);

function choose(view, stage, place) {
  keep(view, { stage, place });
  show(view);
}

// ---- one state of one token

function show(view) {
  const { stages, stage, place } = view;
  const state = stages[stage];
  for (const c of view.cells) {
    const on = c.dataset.at === `${stage},${place}`;
    c.classList.toggle("gx-chosen", on);
    c.tabIndex = on ? 0 : -1;
  }
  view.title.textContent = `${stageName(view, state)}, after “${view.names[place]}”`;
  view.list.replaceChildren();
  for (const [piece, p] of state.top[place]) bar(view.list, named(piece), p, percent(p));
  showWay(view);
  const [piece, p] = state.top[place][0];
  view.said.textContent =
    `Read at ${stageName(view, state)}, the state of “${view.names[place]}” predicts ` +
    `“${named(piece)}” with ${percent(p)}; the final answer, ` +
    `“${named(stages.at(-1).top[place][0][0])}”, has rank ${commas(state.rank[place])} there.`;
}

function showWay(view) {
  const { stages, place, way } = view;
  way.replaceChildren();
  tableRow(way, "th", ["state", "shape", "mean", "std", "best guess", "rank of the final"]);
  for (const i of shownStages(view)) {
    const { shape, mean, std, top, rank } = stages[i];
    const numbers = [mean[place], std[place]].map(v => minus(v.toFixed(2)));
    const texts = [stageName(view, stages[i]), `(${shape.join(", ")})`, ...numbers];
    const cls = i === view.stage ? "gx-here-row" : "";
    tableRow(way, "td", [...texts, named(top[place][0][0]), commas(rank[place])], cls);
  }
}

export default start(draw);
