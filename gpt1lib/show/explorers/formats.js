// Figure 1, right, for typed texts: token rows by segment, losses below, L3 by lambda.

const SEGMENT_HUES = { special: GRAY, "segment 1": BLUE, "segment 2": ORANGE };
const HEADINGS = [
  "",
  "task loss −L2",
  "language model −L1",
  "−L3 = −L2 − λ L1",
  "share of the language model",
];

function draw(model, root) {
  const view = { model, root, kind: model.get("kind") };
  addTasks(view);
  view.form = el("div", "", root);
  view.rows = el("div", "", root);
  view.said = live(root);
  addLambda(view);
  view.table = el("table", "gx-table", root);
  const stack = el("div", "gx-stack", root);
  view.parts = [part(stack, "task", BLUE), part(stack, "λ × language model", ORANGE)];
  for (const name of ["formats", "message"]) model.on(`change:${name}`, () => show(view));
  model.on("change:lm_coef", () => mix(view));
  follow(view, ["kind"], () => {
    view.kinds.set(view.kind);
    ask(view);
    show(view);
  });
  ask(view);
  show(view);
}

function addTasks(view) {
  const kinds = Object.keys(view.model.get("fields"));
  const names = kinds.map(kind => [kind, kind === "choice" ? "multiple choice" : kind]);
  view.kinds = choice(view.root, "task", Object.fromEntries(names), view.kind, kind => {
    keep(view, { kind });
    ask(view);
    show(view);
  });
}

function addLambda(view) {
  const options = {
    min: 0,
    max: 2,
    step: 0.05,
    value: view.model.get("lm_coef"),
    text: v => v.toFixed(2),
    help: "weight of the language model's loss",
  };
  view.lambda = slider(view.root, "λ", options, v => {
    save(view.model, { lm_coef: v });
    mix(view);
  });
}

function part(stack, name, hue) {
  const box = el("div", "", stack);
  box.style.background = hue;
  box.title = name;
  return box;
}

// The texts of this task, to be typed.
function ask({ model, form, kind }) {
  form.replaceChildren();
  model.get("fields")[kind].forEach((name, i) => {
    textLine(form, name, model.get("texts")[kind][i], "8.5em", typed => {
      const texts = JSON.parse(JSON.stringify(model.get("texts")));
      texts[kind][i] = typed;
      save(model, { texts });
    });
  });
}

// A row for each sequence, with the loss of each token below it.
function show(view) {
  const { rows } = view.model.get("formats")[view.kind];
  const most = Math.max(...rows.flat().map(token => token[2] ?? 0), 1);
  view.rows.replaceChildren();
  for (const row of rows) {
    const line = el("div", "gx-tokens", view.rows);
    for (const [piece, segment, loss] of row) addToken(line, piece, segment, loss, most);
    el("b", "", line.lastChild, "▲ read here");
  }
  mix(view);
}

function addToken(line, piece, segment, loss, most) {
  const cell = el("div", "gx-token", line);
  const name = el("span", "", cell, readable(piece));
  name.style.borderColor = SEGMENT_HUES[segment];
  if (segment === "special") name.classList.add("gx-special");
  const fill = el("i", "", el("div", "gx-well", cell));
  if (loss != null) {
    fill.style.height = percent(loss / most);
    cell.title = `loss of ${readable(piece)}: ${loss.toFixed(2)} nats`;
  }
  el("small", "", cell, loss == null ? "given" : loss.toFixed(1));
}

// The twin of FormatsExplorer.losses: of the language model, by means and by sums.
function languageModelLosses(rows) {
  const nats = rows.map(row => row.map(token => token[2]).filter(loss => loss != null));
  const mean = sum(nats.map(losses => sum(losses) / losses.length)) / nats.length;
  return { mean, total: sum(nats.map(sum)) };
}

// What lambda makes of the two losses.
function mix(view) {
  const { model, root, parts } = view;
  const { rows, task } = model.get("formats")[view.kind];
  const λ = model.get("lm_coef");
  const { mean, total } = languageModelLosses(rows);
  const all = task + λ * mean;
  view.lambda.set(λ);
  view.table.replaceChildren();
  tableRow(view.table, "th", HEADINGS);
  addLosses(view.table, "means (the code)", task, mean, λ);
  addLosses(view.table, "sums (the paper)", task, total, λ);
  parts[0].style.width = percent(task / all);
  parts[1].style.width = percent((λ * mean) / all);
  root.dataset.l3 = JSON.stringify([-all, -(task + λ * total)]);
  const message = model.get("message");
  view.said.textContent =
    `${message ? `${message} ` : ""}${rows.length} sequence${rows.length > 1 ? "s" : ""} ` +
    `of ${rows.map(row => row.length).join(" and ")} tokens. With λ = ${λ.toFixed(2)} ` +
    `the language model makes ${percent((λ * mean) / all, 0)} of the loss by means.`;
}

function addLosses(table, name, task, lm, λ) {
  const all = task + λ * lm;
  const losses = [task, lm, all].map(loss => loss.toFixed(3));
  tableRow(table, "td", [name, ...losses, percent((λ * lm) / all)]);
}

export default start(draw);
