// A token's row of the tied matrix, its nearest rows, and how it fares as the next token.

import { bars, strip } from "./common.bars.js";
import { choice, ONWARD, radio, radioGroup, setChecked } from "./common.controls.js";
import { addHeadline, el, liveRegion } from "./common.elements.js";
import { promptLine } from "./common.questions.js";
import { halves, onChange, save, setShared } from "./common.traits.js";
import { commas, minus, named, readable } from "./common.words.js";
import { start } from "./start.js";

const MATRICES = { tied: "the same matrix (GPT-1)", own: "a matrix of its own" };

function draw(model, root) {
  const view = { model, C: model.get("n_embd") };
  const isDark = root.classList.contains("gx-dark");
  const onward = () => choose(view, (view.chosen + 1) % view.names.length);
  view.finding = addHeadline(root, "see the next word's row", onward);
  promptLine(model, root);
  const group = radioGroup(root, "token");
  group.addEventListener("keydown", e => stepToken(view, e));
  model.on("change:wins", () => fill(view, group));
  view.title = el("p", "gx-title", root);
  view.write = strip(el("div", "gx-tied", root), isDark);
  view.ends = el("p", "gx-note", root);
  const cols = el("div", "gx-cols", root);
  cols.style.marginTop = "10px";
  view.near = addList(cols, "Nearest rows (cosine)", "330px");
  view.wins = addList(cols, "", "420px");
  view.ranks = view.wins.previousSibling;
  addRankAxis(view);
  choice(root, "output matrix", MATRICES, model.get("tied") ? "tied" : "own", which => {
    save(model, { tied: which === "tied" });
    show(view);
  });
  view.said = liveRegion(root);
  onChange(view, ["chosen"], () => view.chosen < view.names.length && show(view));
  fill(view, group);
}

// The tokens of a text, in place of those of the text before.
function fill(view, group) {
  const { model } = view;
  view.rows = halves(model, "data");
  view.names = model.get("tokens").map(readable);
  view.chosen = Math.min(model.get("chosen"), view.names.length - 1);
  for (const b of view.buttons ?? []) b.remove();
  view.buttons = view.names.map((name, i) => radio(group, name, () => choose(view, i)));
  show(view);
}

function stepToken(view, e) {
  const d = ONWARD[e.key];
  if (!d) return;
  e.preventDefault();
  const n = view.names.length;
  choose(view, (view.chosen + d + n) % n);
  view.buttons[view.chosen].focus();
}

// Full is rank 1, nothing the last rank, tenfold steps between: 1, 10, 100, ...
const rankShare = (rank, last) => 1 - Math.log(rank) / Math.log(last);

function addRankAxis({ model, wins }) {
  const last = model.get("n_vocab");
  const head = el("li", "gx-head", null);
  wins.before(el("ol", "gx-bars gx-ranks", null));
  wins.previousSibling.append(head);
  wins.previousSibling.style.width = wins.style.width;
  el("span", "gx-word", head, "rank");
  const axis = el("span", "gx-axis", head);
  for (let rank = 1; rank < last; rank *= 10) {
    const tick = el("span", "", axis, commas(rank));
    tick.style.left = `${100 * rankShare(rank, last)}%`;
  }
}

function choose(view, chosen) {
  setShared(view, { chosen });
  show(view);
}

function addList(parent, title, width) {
  const box = el("div", "", parent);
  box.style.flex = `0 1 ${width}`;
  el("p", "gx-title", box, title);
  const list = el("ol", "gx-bars", box);
  list.style.width = `min(${width}, 100%)`;
  return list;
}

function show(view) {
  const { model, chosen, near, wins } = view;
  const places = model.get("places");
  setChecked(view.buttons, chosen);
  paintRow(view);
  const cosines = model.get("neighbors")[chosen];
  bars(
    near,
    cosines.map(([p, v]) => [named(p), Math.max(0, v), minus(v.toFixed(3))]),
  );
  const last = model.get("n_vocab");
  const ranks = model.get("wins")[chosen].map(([, rank], i) => {
    return [`… ${readable(places[i])}`, rankShare(rank, last), `#${commas(rank)}`];
  });
  bars(wins, ranks);
  const tied = model.get("tied");
  const own = `; its output weights are ${view.C} others`;
  const both = ", read as an embedding and used as output weights";
  view.title.textContent = `Its row of Wₑ: ${view.C} numbers${tied ? both : own}`;
  const after = "Its rank as the next token, after each token";
  view.ranks.textContent = tied ? after : `${after}, if it is tied after all`;
  const [other, cosine] = cosines[0];
  view.finding.textContent =
    `The row of “${view.names[chosen]}” is closest to that of “${named(other)}”: ` +
    `their cosine is ${minus(cosine.toFixed(2))}.`;
  view.said.textContent = `${bestPlace(view)} ${parameters(view)}`;
}

// The C numbers of the row, up and down about 0.
function paintRow({ rows, C, chosen, write, ends }) {
  const row = rows.subarray(chosen * C, (chosen + 1) * C);
  const top = row.reduce((most, v) => Math.max(most, Math.abs(v)), 1e-9);
  const words = [-top, top].map(v => minus(v.toFixed(2)));
  write(row, top, `${C} numbers between ${words.join(" and ")}`);
  ends.textContent = `Up and red: above 0, as far as ${words[1]}. Down and blue: below 0.`;
}

function bestPlace({ model, names, chosen }) {
  const here = model.get("wins")[chosen];
  const best = here.reduce((b, [, rank], i) => (rank < here[b][1] ? i : b), 0);
  const [logit, rank] = here[best];
  return (
    `“${names[chosen]}” fits best after “${readable(model.get("places")[best])}”, ` +
    `where its rank is ${commas(rank)}, with a score of ${minus(logit.toFixed(2))}.`
  );
}

function parameters({ model }) {
  const [tied, apart] = model.get("counts");
  return model.get("tied")
    ? `With one matrix for both jobs the model has ${commas(tied)} parameters.`
    : `With an output matrix of its own the model has ${commas(apart)} parameters.`;
}

export default start(draw, "tying");
