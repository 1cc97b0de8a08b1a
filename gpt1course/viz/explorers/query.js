// A query that one drags over the plane of its keys; scores, weights and mix follow.

import { stretch } from "./common.bars.js";
import { axis, shape, ticks } from "./common.charts.js";
import { choice } from "./common.controls.js";
import { addHeadline, button, el, liveRegion, setTip, tableRow } from "./common.elements.js";
import { onChange, setShared } from "./common.traits.js";
import { minus, percent } from "./common.words.js";
import { steps } from "./query.steps.js";
import { start } from "./start.js";

const SOURCES = { hand: "five words by hand", head: "a head of the novelist" };
const SIZES = { 2: "2", 8: "8", 64: "64" };
const ROOTS = { yes: "yes (GPT-1)", no: "no" };
const SIDE = 340; // pixels of the plane
const HULL = 200; // pixels of the plane of values
const HELP = "Drag the query, or press the arrow keys (with Shift: five times as far).";
const FEET =
  "Dotted: how far each key reaches along the query's line, which is all that a dot product " +
  "sees.";
const ABOUT = {
  plane: `${HELP} ${FEET}`,
  more: `${HELP} The plane shows two numbers of each key; the others are fixed and random.`,
  head:
    `${HELP} ${FEET} The plane contains the last word's true query, so its weights are the ` +
    "model's own. The query may be drawn shorter than it is, and the keys about their mean: " +
    "all scores shift alike, so no weight changes.",
};

function draw(model, root) {
  const view = { model, root, dark: root.classList.contains("gx-dark") };
  for (const name of ["source", "query", "size", "scaled"]) view[name] = model.get(name);
  view.finding = addHeadline(root, "", () => pointAt(view, target(view)));
  addControls(view);
  const cols = el("div", "gx-cols gx-query", root);
  addPlane(view, el("div", "", cols));
  const right = el("div", "gx-aside", cols);
  el("p", "gx-title", right, "What each key gets");
  view.table = el("table", "gx-table", el("div", "gx-scroll", right));
  el("p", "gx-title gx-under", right, "The weighted sum: all values, each times its weight");
  const box = { viewBox: `0 0 ${HULL} ${HULL}`, width: HULL, role: "img", class: "gx-plane" };
  view.hull = shape("svg", right, box);
  view.said = liveRegion(root);
  view.note = el("p", "gx-note", root);
  onChange(view, ["source", "query", "size", "scaled"], () => show(view));
  show(view);
}

function addControls(view) {
  const { model, root } = view;
  const line = el("div", "gx-cols gx-query-controls", root);
  const names = { ...SOURCES, head: `${SOURCES.head} (${model.get("title")})` };
  view.sources = choice(line, "keys", names, view.source, source => {
    setShared(view, { source, query: [...model.get("places")[source].query] });
    show(view);
  });
  view.sizes = choice(line, "D", SIZES, String(view.size), size => {
    setShared(view, { size: +size });
    show(view);
  });
  view.roots = choice(line, "divide by √D", ROOTS, view.scaled ? "yes" : "no", yes => {
    setShared(view, { scaled: yes === "yes" });
    show(view);
  });
  button(line, "Reset", () => {
    setShared(view, { query: [...place(view).query] });
    show(view);
  });
}

// ---- the numbers

const place = view => view.model.get("places")[view.source];
const sizeOf = view => (view.source === "hand" ? view.size : view.model.get("head_size"));

// Whether the plane holds all that the dot products see.
const flat = ({ source, size }) => source === "head" || size === 2;

const added = view => (view.source === "hand" ? view.model.get("extra")[view.size] : []);
const divisor = view => (view.scaled ? Math.sqrt(sizeOf(view)) : 1);
const stepsOf = view => steps(place(view), view.query, added(view), divisor(view));

// ---- the plane of keys

function addPlane(view, parent) {
  el("p", "gx-title", parent, "The query among its keys");
  const label = "plane of keys: the arrow keys move the query";
  const box = { viewBox: `0 0 ${SIDE} ${SIDE}`, width: SIDE, class: "gx-plane gx-drag" };
  const plane = shape("svg", parent, { ...box, tabindex: 0, role: "application" });
  plane.setAttribute("aria-label", label);
  view.plane = plane;
  const at = e => {
    const r = plane.getBoundingClientRect();
    const [u, v] = [(e.clientX - r.left) / r.width, (e.clientY - r.top) / r.height];
    const { reach, shrunk } = scaleOfPlane(view);
    view.query = [2 * u - 1, 1 - 2 * v].map(w => held(w * reach, reach) * shrunk);
    show(view);
  };
  plane.addEventListener("pointerdown", e => {
    plane.setPointerCapture(e.pointerId);
    at(e);
  });
  plane.addEventListener("pointermove", e => plane.hasPointerCapture(e.pointerId) && at(e));
  plane.addEventListener("pointerup", () => setShared(view, { query: [...view.query] }));
  plane.addEventListener("keydown", e => step(view, e));
}

function step(view, e) {
  const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  if (!way[e.key]) return;
  e.preventDefault();
  const { reach, shrunk } = scaleOfPlane(view);
  const far = (e.shiftKey ? 0.5 : 0.1) * shrunk;
  const query = way[e.key].map((d, i) => held(view.query[i] + d * far, reach * shrunk));
  setShared(view, { query });
  show(view);
}

// The key after the one that leads, and the query on its place: as if it were dragged there.
const target = view => (stepsOf(view).best + 1) % place(view).tokens.length;

function pointAt(view, i) {
  const { shrunk } = place(view);
  setShared(view, { query: place(view).keys[i].map(v => held(v * shrunk, 99)) });
  show(view);
}

const held = (v, most) => Math.round(Math.max(-most, Math.min(most, v)) * 100) / 100;

// How much of the plane is shown, so that all keys and the first query are well inside.
function scaleOfPlane(view) {
  const { keys, query, shrunk } = place(view);
  const far = Math.max(...keys.flat().map(Math.abs), ...query.map(v => Math.abs(v) / shrunk));
  return { reach: Math.ceil(1.25 * far), shrunk };
}

function showPlane(view, { raw, weights, best }) {
  const { plane, query } = view;
  const { tokens, keys } = place(view);
  const { reach, shrunk } = scaleOfPlane(view);
  const on = ([x, y]) => [(1 + x / reach) * (SIDE / 2), (1 - y / reach) * (SIDE / 2)];
  plane.replaceChildren();
  for (const upright of [false, true]) {
    axis(plane, ticks(-reach, reach, 6).slice(1, -1), v => on([v, v])[+upright], upright, SIDE);
  }
  const tip = on(query.map(v => v / shrunk));
  dropKeys(view, on, raw);
  keys.forEach((key, i) => {
    const [cx, cy] = on(key);
    shape("circle", plane, { cx, cy, r: 3 + 17 * Math.sqrt(weights[i]), class: "gx-key" });
  });
  const [ox, oy] = on([0, 0]);
  shape("line", plane, { x1: ox, y1: oy, x2: tip[0], y2: tip[1], class: "gx-arrow" });
  shape("circle", plane, { cx: tip[0], cy: tip[1], r: 9, class: "gx-here" });
  const spots = keys.map((key, i) => [...on(key), 6 + 17 * Math.sqrt(weights[i]), tokens[i]]);
  writeNames(plane, [...spots, [...tip, 12, "q"]], SIDE, best);
}

// Where each key falls on the line of the query, if the query has a direction at all.
function dropKeys(view, on, raw) {
  const { plane, query } = view;
  const length = query[0] ** 2 + query[1] ** 2;
  if (length < 1e-9 || !flat(view)) return;
  const far = 99 / Math.sqrt(length);
  const [a, b] = [-far, far].map(f => on(query.map(v => v * f)));
  shape("line", plane, { x1: a[0], y1: a[1], x2: b[0], y2: b[1], class: "gx-now" });
  place(view).keys.forEach((key, i) => {
    const [x1, y1] = on(key);
    const [x2, y2] = on(query.map(v => (v * raw[i]) / length));
    shape("line", plane, { x1, y1, x2, y2, class: "gx-drop" });
    shape("circle", plane, { cx: x2, cy: y2, r: 2.5, class: "gx-foot" });
  });
}

// Names beside their dots [x, y, gap, name]: at the first of four sides where there is room.
function writeNames(svg, spots, side, best) {
  const taken = spots.map(([x, y]) => [x - 4, x + 4, y]);
  spots.forEach(([x, y, gap, name], i) => {
    const width = 7 * name.length + 3;
    const sides = [
      [x + gap, y + 4],
      [x - gap - width, y + 4],
      [x - width / 2, y - gap - 2],
      [x - width / 2, y + gap + 10],
    ];
    const free = ([from, line]) =>
      from > 2 &&
      from + width < side &&
      line > 12 &&
      line < side - 3 &&
      taken.every(
        ([a, b, at], k) =>
          k === i || from > b || from + width < a || Math.abs(line - 4 - at) > 9,
      );
    const [left, line] = sides.find(free) ?? sides[0];
    taken.push([left, left + width, line - 4]);
    const strong = i === best || name === "q" ? "gx-strong" : "";
    shape("text", svg, { x: left, y: line, class: `gx-spot ${strong}` }, name);
  });
}

// ---- the table and the mix

function showTable(view, { raw, scores, weights, best }) {
  const { table, scaled } = view;
  const { tokens } = place(view);
  table.replaceChildren();
  const divided = scaled ? `÷ √${sizeOf(view)}` : "score";
  const heads = ["key", "q · k", divided, "weight", "", "w(1 − w)"];
  tableRow(table, "th", heads);
  tokens.forEach((name, i) => {
    const w = weights[i];
    const numbers = [raw[i].toFixed(2), scores[i].toFixed(2)].map(minus);
    const texts = [name, ...numbers, percent(w), "", (w * (1 - w)).toFixed(3)];
    tableRow(table, "td", texts, i === best ? "gx-best" : "");
    stretch(el("div", "gx-track", table.lastChild.children[4]), w);
  });
}

function showMix({ hull, model, source }, { weights, mix, best }) {
  const { values, tokens } = model.get("places")[source];
  const far = 1.35 * Math.max(...values.flat().map(Math.abs));
  const on = ([x, y]) => [(1 + x / far) * (HULL / 2), (1 - y / far) * (HULL / 2)];
  hull.replaceChildren();
  const [mx, my] = on(mix);
  values.forEach((value, i) => {
    const [cx, cy] = on(value);
    const pull = { x1: mx, y1: my, x2: cx, y2: cy, class: "gx-pull" };
    shape("line", hull, { ...pull, "stroke-width": 0.5 + 6 * weights[i] });
    shape("circle", hull, { cx, cy, r: 3, class: "gx-key" });
  });
  const square = { x: mx - 5, y: my - 5, width: 10, height: 10, class: "gx-blend" };
  shape("rect", hull, { ...square, transform: `rotate(45 ${mx} ${my})` });
  const spots = values.map((value, i) => [...on(value), 8, tokens[i]]);
  spots.push([mx, my, 0, ""]); // no name runs over the mix
  writeNames(hull, spots, HULL, best);
  const [a, b] = mix.map(v => minus(v.toFixed(2)));
  hull.setAttribute("aria-label", `the weighted sum is at (${a}, ${b}), between the values`);
}

// ---- all of it

function show(view) {
  const { said, source } = view;
  view.sources.set(source);
  view.sizes.set(String(view.size));
  view.roots.set(view.scaled ? "yes" : "no");
  view.sizes.box.hidden = source === "head";
  const found = stepsOf(view);
  showPlane(view, found);
  showTable(view, found);
  showMix(view, found);
  view.finding.textContent =
    `“${place(view).tokens[found.best]}” gets ${percent(found.weights[found.best])} ` +
    `of the weight.`;
  setTip(view.finding, `drag q onto “${place(view).tokens[target(view)]}”, or press here`);
  said.textContent = `${winner(view, found)} ${sharpness(found)}`;
  view.note.textContent = ABOUT[source === "head" ? source : flat(view) ? "plane" : "more"];
}

function winner(view, { weights, best }) {
  const [x, y] = view.query.map(v => minus(v.toFixed(1)));
  return `q = (${x}, ${y}): “${place(view).tokens[best]}” gets ${percent(weights[best])}.`;
}

function sharpness({ weights, best }) {
  const slope = weights[best] * (1 - weights[best]);
  const moved = slope < 0.005 ? "by less than 0.05" : `by about ${(10 * slope).toFixed(1)}`;
  const frozen = slope < 0.005 ? " This softmax is saturated." : "";
  return `If its score rose by 0.1, its weight would move ${moved} percentage points.${frozen}`;
}

export default start(draw);
