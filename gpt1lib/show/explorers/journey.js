// The logit lens: rows are states on the way up, columns are tokens, cells the best guess.

const DETAILS = { blocks: "after each block", all: "every state, LayerNorm before and after" };
const MOVES = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function draw(model, root) {
  const names = labels(model.get("tokens"));
  const view = { model, names, stages: model.get("stages"), detail: false };
  view.dark = root.classList.contains("gx-dark");
  view.stage = model.get("stage");
  view.place = model.get("place");
  choice(root, "show", DETAILS, "blocks", which => {
    view.detail = which === "all";
    drawGrid(view);
  });
  view.table = el("div", "gx-matrix gx-lens", root);
  view.table.setAttribute("role", "group");
  const cols = el("div", "gx-cols", root);
  addGuesses(view, el("div", "", cols));
  addWay(view, el("div", "", cols));
  view.said = live(root);
  follow(view, ["stage", "place"], () => show(view));
  drawGrid(view);
}

function addGuesses(view, parent) {
  view.title = el("p", "gx-title", parent);
  view.list = el("ol", "gx-bars", parent);
  view.list.style.width = "340px";
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
  return detail ? `${block}: ${name}` : `block ${block}`;
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
  el("span", "", table);
  for (const name of names) el("span", "gx-lab", table, name).style.color = "inherit";
  show(view);
}

function cell(view, stage, place) {
  const state = view.stages[stage];
  const [piece, p] = state.top[place][0];
  const where = `${stageName(view, state)}, after ${view.names[place]}`;
  const b = el("button", "gx-cell", view.table, readable(piece));
  b.type = "button";
  shade(b, p, view.dark);
  b.title = b.ariaLabel = `${where}: ${readable(piece)} ${percent(p)}`;
  b.addEventListener("click", () => choose(view, stage, place));
  b.addEventListener("keydown", e => {
    const move = MOVES[e.key];
    if (!move) return;
    e.preventDefault();
    const rows = shownStages(view);
    const to = [rows[rows.indexOf(stage) + move[0]], place + move[1]];
    if (!find(view, ...to)) return;
    choose(view, ...to);
    find(view, ...to).focus();
  });
  b.dataset.at = `${stage},${place}`;
  return b;
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
  for (const [piece, p] of state.top[place]) bar(view.list, readable(piece), p, percent(p));
  showWay(view);
  const [piece, p] = state.top[place][0];
  view.said.textContent =
    `Read at ${stageName(view, state)}, the state of “${view.names[place]}” predicts ` +
    `“${readable(piece)}” with ${percent(p)}; ` +
    `the standard deviation of its numbers is ${state.std[place].toFixed(2)}.`;
}

function showWay(view) {
  const { stages, place, way } = view;
  way.replaceChildren();
  tableRow(way, "th", ["state", "shape", "mean", "std", "best guess"]);
  for (const i of shownStages(view)) {
    const { shape, mean, std, top } = stages[i];
    const numbers = [mean[place].toFixed(2), std[place].toFixed(2)];
    const texts = [stageName(view, stages[i]), `(${shape.join(", ")})`, ...numbers];
    const cls = i === view.stage ? "gx-here-row" : "";
    tableRow(way, "td", [...texts, readable(top[place][0][0])], cls);
  }
}

export default start(draw);
