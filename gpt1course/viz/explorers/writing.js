// One prompt and one seed, several ways to go on, a row each.

import { colorScale, shade } from "./common.colors.js";
import { slider, textLine } from "./common.controls.js";
import { addHeadline, el, liveRegion } from "./common.elements.js";
import { followText, request } from "./common.questions.js";
import { minus, named, percent, readable } from "./common.words.js";
import { start } from "./start.js";

const HINT = "Type a prompt and press Enter, or move the seed.";
const LEGEND =
  "Shade: the probability that the model gave the token. " +
  "Framed: the first difference from the row above.";
const SEEDS = { min: 0, max: 99, step: 1, help: "the same draws for every temperature" };

function draw(model, root) {
  const view = { model, dark: root.classList.contains("gx-dark") };
  view.finding = addHeadline(root, "draw with another seed", () => {
    const seed = (model.get("seed") + 1) % (SEEDS.max + 1);
    drag.set(seed);
    ask({ seed });
  });
  root.querySelector(".gx-tip").classList.add("gx-asks");
  const given = model.get("text");
  const input = textLine(root, "prompt", given, "4em", text => ask({ text }));
  const options = { ...SEEDS, value: model.get("seed") };
  const drag = slider(root, "seed", options, seed => ask({ seed }));
  drag.row.classList.add("gx-asks");
  const status = el("p", "gx-note gx-hint", root);
  const ask = request(model, status, "The model writes ...", HINT);
  view.table = el("div", "gx-writings", root);
  view.said = liveRegion(root);
  colorScale(root, view.dark, "0%", "100%   probability at temperature 1");
  el("p", "gx-note", root, LEGEND);
  model.on("change:rows", () => show(view));
  followText(model, input);
  model.on("change:seed", () => drag.set(model.get("seed")));
  show(view);
}

function show(view) {
  const { model, table } = view;
  const rows = model.get("rows");
  table.replaceChildren();
  for (const name of ["how", "text", "mean log P"]) el("i", "", table, name);
  rows.forEach(([name, mean, pairs], r) => {
    el("b", "", table, name);
    addText(view, pairs, rows[Math.max(0, r - 1)][2]);
    el("small", "", table, minus(mean.toFixed(2)));
  });
  const best = rows.reduce((a, b) => (b[1] > a[1] ? b : a));
  view.finding.textContent =
    `The likeliest of these texts is that of ${best[0]}: ` +
    `${minus(best[1].toFixed(2))} nats per token.`;
  view.said.textContent =
    "The likeliest text, by the mean log-probability on the right, is that of " +
    `${best[0]} with ${minus(best[1].toFixed(2))} nats per token.`;
}

// The tokens of a row [piece, probability]; the first that differs from those above is framed.
function addText({ table, dark }, pairs, above) {
  const text = el("p", "", table);
  const parted = pairs.findIndex(([piece], i) => piece !== above[i][0]);
  pairs.forEach(([piece, p], i) => {
    const span = el("span", i === parted ? "gx-parted" : "", text, readable(piece));
    shade(span, p, dark);
    span.title = `${named(piece)}: ${percent(p)}`;
    if (piece.endsWith("</w>")) text.append(" ");
  });
}

export default start(draw, "writing");
