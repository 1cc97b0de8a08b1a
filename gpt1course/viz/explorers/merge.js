// Learning BPE: words in pieces, the pairs that could be merged, the tokens that are left,
// and the tree of one word. The rule takes the most frequent pair; any other may be clicked.

import { characters, merge } from "../engine/pieces.js";
import { stretch } from "./common.bars.js";
import { axisNames, chart, levels, shape, through, ticks } from "./common.charts.js";
import { BLUE, hueOfPiece, VIOLET } from "./common.colors.js";
import { rovingTabindex, slider, textInput } from "./common.controls.js";
import { addHeadline, button, el, liveRegion } from "./common.elements.js";
import { onChange, setShared } from "./common.traits.js";
import { commas, named, plural, readable, rounded } from "./common.words.js";
import { countPairs, inTurn, race } from "./merge.race.js";
import { start } from "./start.js";

const SHOWN = 13; // words in the list, of three letters and more
const OFFERED = 10; // pairs to choose from
const LONGEST = 22; // letters of a word that has a tree
const PACE = 350; // milliseconds per merge while playing
const NOTE =
  "A click on a pair merges it, in turn or out of turn. A click on a word draws its tree: " +
  "each piece with the number of the merge that made it. A double line " +
  "ends a word; a dot means that the word goes on.";

function draw(model, root) {
  const view = { model, root, words: model.get("words"), most: model.get("most") };
  for (const name of ["step", "turns", "word"]) view[name] = model.get(name);
  view.rule = race(view.words, [], view.most);
  const tip = "watch all merges from the start";
  view.finding = addHeadline(root, tip, () => {
    stop(view);
    set(view, { step: 0 });
    play(view);
  });
  addControls(view, root);
  const cols = el("div", "gx-cols gx-race", root);
  addWords(view, cols);
  addPairs(view, cols);
  const right = el("div", "gx-aside gx-left", cols);
  el("p", "gx-title", right, "tokens left in the text");
  view.chart = chart(right, 250, 20, () => drawChart(view));
  view.chart.svg.addEventListener("click", e => set(view, { step: stepUnder(view, e) }));
  view.said = liveRegion(root);
  addTree(view, root);
  el("p", "gx-note", root, NOTE);
  onChange(view, ["step", "turns", "word"], () => show(view));
  show(view);
}

// ---- pieces of a word

const spelledAfter = (word, merges) =>
  merges.reduce((symbols, [left, right]) => merge(symbols, left, right), characters(word));

// ---- controls

function set(view, traits) {
  setShared(view, traits);
  show(view);
}

function addControls(view, root) {
  const text = n => `${n} of ${view.most}`;
  const options = { min: 0, max: view.most, step: 1, value: view.step, text };
  view.drag = slider(root, "merges", options, step => set(view, { step }));
  const row = el("div", "gx-choice", root);
  view.play = button(row, "Play", () => (view.timer ? stop(view) : play(view)));
  view.reset = button(row, "Back to the rule", () => set(view, { turns: [] }));
}

function play(view) {
  view.play.textContent = "Stop";
  view.timer = setInterval(() => {
    if (!view.play.isConnected || view.step >= view.most) stop(view);
    else set(view, { step: view.step + 1 });
  }, PACE);
}

function stop(view) {
  clearInterval(view.timer);
  view.timer = 0;
  view.play.textContent = "Play";
  show(view); // where it has stopped is spoken
}

// Merge a pair now; whatever was merged out of turn further on is forgotten.
function take(view, [left, right]) {
  const turns = view.turns.filter(([at]) => at < view.step);
  const [l, r] = race(view.words, turns, view.step + 1).merges[view.step];
  if (l !== left || r !== right) turns.push([view.step, left, right]);
  set(view, { turns, step: view.step + 1 });
}

// ---- the words

function addWords(view, parent) {
  const box = el("div", "gx-spelled", parent);
  el("p", "gx-title", box, "words, and how often");
  const long = view.words.filter(([word]) => word.length > 2).slice(0, SHOWN);
  const known = long.some(([word]) => word === view.word);
  const own = view.words.find(([word]) => word === view.word);
  view.listed = known || !own ? long : [...long.slice(0, -1), own];
  view.rows = view.listed.map(([word, n]) => {
    const b = el("button", "gx-spelling", box);
    b.type = "button";
    b.addEventListener("click", () => set(view, { word }));
    const pieces = el("span", "", b);
    el("small", "", b, `× ${commas(n)}`);
    return { b, pieces, word };
  });
  rovingTabindex(
    box,
    view.rows.map(row => row.b),
  );
}

function showWords(view, merges) {
  for (const { b, pieces, word } of view.rows) {
    const symbols = spelledAfter(word, merges);
    pieces.replaceChildren();
    for (const symbol of symbols) addChip(pieces, symbol, view.next);
    b.setAttribute("aria-pressed", word === view.word);
    const amount = symbols.length === 1 ? "one token" : `${symbols.length} pieces`;
    b.setAttribute("aria-label", `${word}, ${amount}; draw its tree`);
  }
}

function addChip(parent, symbol, [left, right]) {
  const chip = el("span", "gx-chip", parent, readable(symbol));
  chip.style.borderBottomColor = hueOfPiece(symbol);
  if (symbol.endsWith("</w>")) chip.classList.add("gx-ends");
  if (symbol === left || symbol === right) chip.dataset.part = symbol;
}

// ---- the pairs

function addPairs(view, parent) {
  const box = el("div", "gx-offers", parent);
  el("p", "gx-title", box, "most frequent pairs");
  view.pairs = el("ul", "gx-bars", box);
  for (let i = 0; i < OFFERED; i++) {
    const row = el("li", "gx-candidate", view.pairs);
    el("button", "gx-offer", row).type = "button";
    for (const cls of ["gx-track", "gx-num"]) el("span", cls, row);
    row.firstChild.addEventListener("click", () => take(view, view.offers[i]));
  }
  view.keepStop = rovingTabindex(view.pairs, view.pairs.querySelectorAll("button"));
}

function showPairs(view, merges) {
  const spelled = view.words.map(([word]) => spelledAfter(word, merges));
  view.offers = countPairs(spelled, view.words).sort(inTurn).slice(0, OFFERED);
  const most = view.offers.length ? view.offers[0][2] : 1;
  [...view.pairs.children].forEach((row, i) => {
    const offer = view.offers[i];
    const [b, track, number] = row.children;
    row.style.visibility = offer ? "" : "hidden";
    b.disabled = !offer || view.step >= view.most;
    if (!offer) return;
    const [left, right, n] = offer;
    b.textContent = `${named(left)} + ${named(right)}`;
    b.setAttribute("aria-label", `merge ${b.textContent}, ${commas(n)} times`);
    stretch(track, n / most);
    number.textContent = commas(n);
    row.classList.toggle("gx-due", left === view.next[0] && right === view.next[1]);
  });
  view.keepStop();
}

// ---- the curve

function drawChart(view) {
  const { svg, L, T, right, bottom } = view.chart;
  const { totals } = view.race;
  const top = view.rule.totals[0];
  const x = i => L + ((right - L) * i) / view.most;
  const y = n => bottom - ((bottom - T) * n) / top;
  svg.replaceChildren();
  levels(view.chart, ticks(0, top, 4), y, commas);
  for (const v of ticks(0, view.most, 4))
    shape("text", svg, { x: x(v), y: bottom + 18, "text-anchor": "middle" }, commas(v));
  axisNames(view.chart, "merges", "");
  const line = (values, look) => {
    const d = through(values.map((n, i) => [x(i), y(n)]));
    shape("path", svg, { d, fill: "none", ...look });
  };
  line(view.rule.totals, { stroke: BLUE, "stroke-width": 2 });
  if (view.turns.length)
    line(totals, { stroke: VIOLET, "stroke-width": 2, "stroke-dasharray": "5 4" });
  const i = view.step;
  shape("line", svg, { x1: x(i), x2: x(i), y1: T, y2: bottom, class: "gx-at" });
  shape("circle", svg, { cx: x(i), cy: y(totals[i]), r: 4, class: "gx-here" });
  svg.setAttribute("aria-label", view.said.textContent);
}

function stepUnder({ chart: { svg, W, L, right }, most }, e) {
  const box = svg.getBoundingClientRect();
  const share = (((e.clientX - box.left) / box.width) * W - L) / (right - L);
  return Math.round(most * Math.max(0, Math.min(1, share)));
}

// ---- the tree of a word

function addTree(view, root) {
  const row = el("div", "gx-control gx-tree-of", root);
  const input = textInput(row, el("label", "", row, "tree of"), view.word, text => {
    const letters = [...text.trim().toLowerCase().replaceAll(/\s+/g, "")];
    const word = letters.slice(0, LONGEST).join("");
    if (word) set(view, { word });
    input.value = view.word;
  });
  input.classList.remove("gx-prompt"); // needs no kernel
  input.classList.add("gx-own");
  view.input = input;
  view.tree = shape("svg", el("div", "gx-scroll", root), { role: "img", class: "gx-tree" });
}

// The pieces of a word, each with the two that it was made of and the number of that merge.
function grow(word, merges) {
  let nodes = characters(word).map((text, i) => ({ text, x: i, height: 0 }));
  merges.forEach(([left, right], step) => {
    const grown = [];
    for (let i = 0; i < nodes.length; i++) {
      const [a, b] = [nodes[i], nodes[i + 1]];
      if (a.text === left && b?.text === right) {
        grown.push(join(a, b, step + 1));
        i++;
      } else grown.push(a);
    }
    nodes = grown;
  });
  return nodes;
}

const join = (a, b, number) => ({
  text: a.text + b.text,
  x: (a.x + b.x) / 2,
  height: 1 + Math.max(a.height, b.height),
  parts: [a, b],
  number,
});

function drawTree(view, merges) {
  const { tree, word } = view;
  const nodes = grow(word, merges);
  const grown = grow(word, view.race.merges).map(node => node.height); // room for all to come
  const [gap, rise] = [52, 46];
  const [W, H] = [gap * [...word].length + 20, rise * Math.max(...grown) + 40];
  tree.replaceChildren();
  tree.setAttribute("viewBox", `0 0 ${W} ${H}`);
  tree.style.cssText = `width:${W}px;min-width:${W}px;height:${H}px`;
  const place = node => [gap * (node.x + 0.5) + 10, H - 22 - rise * node.height];
  for (const node of nodes) drawNode(tree, node, place);
  const told = nodes.map(
    ({ text, number }) => named(text) + (number ? ` (merge ${number})` : ""),
  );
  tree.setAttribute("aria-label", `Tree of ${word}: ${told.join(", ")}.`);
}

function drawNode(tree, node, place) {
  const [x, y] = place(node);
  for (const part of node.parts ?? []) {
    const [x2, y2] = place(part);
    shape("line", tree, { x1: x, y1: y + 21, x2, y2: y2 - 14, class: "gx-branch" });
    drawNode(tree, part, place);
  }
  const text = readable(node.text);
  const half = 4.2 * text.length + 6;
  const box = { x: x - half, y: y - 13, width: 2 * half, height: 19, rx: 3 };
  shape("rect", tree, { ...box, class: "gx-node", stroke: hueOfPiece(node.text) });
  shape("text", tree, { x, y: y + 1, "text-anchor": "middle", class: "gx-letters" }, text);
  if (node.number)
    shape(
      "text",
      tree,
      { x, y: y + 17, "text-anchor": "middle", class: "gx-rank" },
      node.number,
    );
}

// ---- all of it

function show(view) {
  if (view.raced !== view.turns) {
    view.race = view.turns.length ? race(view.words, view.turns, view.most) : view.rule;
    view.raced = view.turns;
  }
  view.step = Math.min(view.step, view.race.merges.length);
  view.next = view.race.merges[view.step] ?? ["", ""];
  const done = view.race.merges.slice(0, view.step);
  view.drag.set(view.step);
  view.reset.disabled = !view.turns.length;
  view.input.value = view.word;
  showWords(view, done);
  showPairs(view, done);
  drawTree(view, done);
  view.said.setAttribute("aria-live", view.timer ? "off" : "polite"); // not each merge
  view.said.textContent = sentence(view, done);
  view.finding.textContent = findingOf(view);
  drawChart(view);
}

function findingOf({ step, race: { totals } }) {
  const less = rounded(1 - totals[step] / totals[0]);
  if (!step) return `Before the first merge the text is ${commas(totals[0])} letters.`;
  return `After ${plural(step, "merge")} the text has ${less} fewer tokens than letters.`;
}

function sentence(view, done) {
  const { step, race: own, rule, next } = view;
  const left = own.totals[step];
  const last = done.at(-1);
  const made = last ? `, the last one ${named(last[0])} + ${named(last[1])}` : "";
  const after = `After ${plural(step, "merge")}${made}: ${commas(left)} tokens. `;
  const due = next[2]
    ? `Next: ${named(next[0])} + ${named(next[1])}, ${commas(next[2])} times.`
    : "";
  const turns = view.turns.filter(([at]) => at < step).length;
  return after + (turns ? against(left - rule.totals[step], turns) : "") + due;
}

function against(more, turns) {
  const amount = more
    ? `${plural(Math.abs(more), "token")} ${more > 0 ? "more" : "fewer"} than`
    : "as many as";
  return `That is ${amount} by the rule, with ${plural(turns, "merge")} out of turn. `;
}

export default start(draw);
