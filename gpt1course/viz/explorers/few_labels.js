// Learning curves, one set at a time: a line at an accuracy tells how many labels each row
// takes to it, a line at a number of labels how far the rows are apart there.

import { axisNames, chart, levels, shape, through, ticks, writeEnds } from "./common.charts.js";
import { hueOf } from "./common.colors.js";
import { choice, slider } from "./common.controls.js";
import { addHeadline, el, liveRegion } from "./common.elements.js";
import { onChange, setShared } from "./common.traits.js";
import { commas, inPoints, plural, rounded } from "./common.words.js";
import { start } from "./start.js";

const NOTE =
  "Bar: the 95% interval of the mean over draws, by Student's t; rings: the draws. " +
  "Significant: draw by draw, and corrected for all comparisons of the set (Holm's rule). " +
  "Click in the picture to move both lines.";
const DASHES = ["", "6 2", "4 2 1 2", "1.5 2", "9 3", "9 3 2 3"];
const LEVELS = ["5 3", "1.5 3", "6 2 1.5 2"];
const DRAWS = 15; // pixels from a number of labels to its draws, which stand beside the bars
const LOWEST = 0.2; // of the slider: five answers, guessed

function draw(model, root) {
  const view = { model, root, names: model.get("names") };
  for (const name of ["chosen", "labels", "level"]) view[name] = model.get(name);
  const set = traits => {
    setShared(view, traits);
    show(view);
  };
  view.finding = addHeadline(root, "ask with fewer labels", () => set({ labels: fewer(view) }));
  const names = Object.fromEntries(view.names.map((name, i) => [`s${i}`, name]));
  view.picker = choice(root, "set", names, "", key => set({ chosen: +key.slice(1) }));
  view.chart = chart(el("div", "gx-few", root), 340, 134, () => show(view), 14);
  view.legend = el("div", "gx-few-names", root);
  followPointer(view, set);
  addSliders(view, set);
  view.takes = liveRegion(root);
  view.apart = liveRegion(root);
  el("p", "gx-note", root, NOTE);
  onChange(view, ["chosen", "labels", "level"], () => show(view));
  show(view);
}

function addSliders(view, set) {
  const whole = v => `${Math.round(v)}%`;
  const height = { min: 100 * LOWEST, max: 100, step: 1, value: 90, text: whole };
  view.height = slider(view.root, "accuracy", height, v => set({ level: v / 100 }));
  const text = i => plural(sizesOf(view)[i] ?? 1, "label");
  const last = sizesOf(view).length - 1;
  const place = { min: 0, max: last, step: 1, value: 0, text };
  view.place = slider(view.root, "labels", place, i => set({ labels: sizesOf(view)[i] }));
}

// Pressed in the picture, the pointer takes both lines along.
function followPointer(view, set) {
  const { svg } = view.chart;
  const move = e => {
    const box = svg.getBoundingClientRect();
    const per = view.chart.W / box.width;
    const { labelsAt, levelAt } = view.scale;
    const level = levelAt((e.clientY - box.top) * per);
    const labels = labelsAt((e.clientX - box.left) * per);
    set({ labels, level: Math.round(100 * Math.max(LOWEST, level)) / 100 });
  };
  svg.addEventListener("pointerdown", e => {
    svg.setPointerCapture(e.pointerId);
    move(e);
  });
  svg.addEventListener("pointermove", e => svg.hasPointerCapture(e.pointerId) && move(e));
}

// ---- what is asked of the curves

const rowsOf = ({ model, chosen }) => model.get("rows")[chosen];
const flatOf = ({ model, chosen }) => model.get("flat")[chosen];

function sizesOf(view) {
  const all = rowsOf(view).flatMap(row => row.places.map(place => place.labels));
  return [...new Set(all)].sort((a, b) => a - b);
}

// Of the numbers that the set has, the one nearest by ratio.
function nearest(sizes, labels) {
  const away = n => Math.abs(Math.log(n / labels));
  return sizes.reduce((best, n) => (away(n) < away(best) ? n : best));
}

// Labels with which a row's mean first reaches a level: the twin of
// first_reaching in gpt1course/statistics.py.
function labelsTo(places, level) {
  if (places[0].mean >= level) return places[0].labels;
  const i = places.findIndex(place => place.mean >= level);
  if (i < 0) return null;
  const [a, b] = [places[i - 1], places[i]];
  const share = (level - a.mean) / (b.mean - a.mean);
  return a.labels * (b.labels / a.labels) ** share;
}

function wordsOf(places, level) {
  const n = labelsTo(places, level);
  if (n === null) return `more than ${commas(places.at(-1).labels)}`;
  if (n <= places[0].labels) return `at most ${commas(places[0].labels)}`;
  return `about ${commas(+n.toPrecision(2))}`;
}

// The next smaller number of labels; from the smallest, the largest.
function fewer(view) {
  const sizes = sizesOf(view);
  return sizes.at(sizes.indexOf(nearest(sizes, view.labels)) - 1);
}

// ---- the chart

function show(view) {
  const { chart, names, chosen } = view;
  const sizes = sizesOf(view);
  const labels = nearest(sizes, view.labels);
  view.scale = scaleOfSet(view, sizes);
  view.picker.set(`s${chosen}`);
  view.height.set(100 * view.level);
  view.place.input.max = sizes.length - 1;
  view.place.set(sizes.indexOf(labels));
  chart.svg.replaceChildren();
  drawAxesOf(view, sizes);
  drawLines(view, labels);
  const flat = flatOf(view).map((line, k) => drawFlat(view, line, k));
  const ends = rowsOf(view).map((row, k) => drawRow(view, row, k, labels));
  const sign = (name, x, y) => drawSign(view, chart.svg, name, x, y);
  view.legend.replaceChildren();
  if (chart.narrow) writeBelow(view, [...ends, ...flat]);
  else writeEnds(chart, [...ends, ...flat], sign);
  tell(view, labels);
  chart.svg.setAttribute("aria-label", `${names[chosen]}: ${view.takes.textContent}`);
}

// Room for all means and draws; a bar that is far longer may leave the picture.
function scaleOfSet(view, sizes) {
  const { L, T, right, bottom } = view.chart;
  const [low, high] = heights(view);
  const [first, last] = [Math.log(sizes[0]), Math.log(sizes.at(-1) / sizes[0]) || 1];
  const [from, wide] = [L + 24, right - L - 72];
  const x = n => from + (wide * (Math.log(n) - first)) / last;
  const y = v => T + ((bottom - T) * (high - Math.min(high, Math.max(low, v)))) / (high - low);
  const levelAt = py => Math.min(1, high - ((py - T) / (bottom - T)) * (high - low));
  const labelsAt = px => nearest(sizes, Math.exp(first + ((px - from) / wide) * last));
  return { low, high, x, y, levelAt, labelsAt };
}

function heights(view) {
  const places = rowsOf(view).flatMap(row => row.places);
  const seen = [...places.flatMap(p => p.draws), ...flatOf(view).map(line => line[1])];
  const [least, most] = [Math.min(...seen), Math.max(...seen)];
  const room = 0.05 * (most - least) || 0.1;
  return [least - room, most + room];
}

function drawAxesOf({ chart, scale }, sizes) {
  const { svg, bottom } = chart;
  levels(chart, ticks(scale.low, Math.min(1, scale.high), 8), scale.y, rounded);
  let free = -Infinity; // where the tick before ends
  for (const n of sizes) {
    if (scale.x(n) - 16 < free) continue;
    free = scale.x(n) + 16;
    shape("text", svg, { x: scale.x(n), y: bottom + 18, "text-anchor": "middle" }, commas(n));
  }
  axisNames(chart, "labeled examples", "accuracy");
}

// The two lines that the reader moves.
function drawLines({ chart, scale, level }, labels) {
  const { svg, L, T, right, bottom } = chart;
  const x = scale.x(labels) - 11;
  shape("rect", svg, { x, width: DRAWS + 36, y: T, height: bottom - T, class: "gx-band" });
  if (level < scale.low || level > scale.high) return;
  const y = scale.y(level);
  shape("line", svg, { x1: L, x2: right, y1: y, y2: y, class: "gx-level" });
}

// What needs no labels; returns where it ends, and its name.
function drawFlat(view, [name, accuracy], k) {
  const { svg, L, right } = view.chart;
  const y = view.scale.y(accuracy);
  const stroke = { stroke: hueIn(view, name), "stroke-dasharray": LEVELS[k % 3] };
  shape("line", svg, { x1: L, x2: right, y1: y, y2: y, "stroke-width": 1.4, ...stroke });
  return [y, name];
}

function hueIn(view, name) {
  const names = [...rowsOf(view).map(row => row.name), ...flatOf(view).map(line => line[0])];
  return hueOf(names, names.indexOf(name));
}

// Where there is no room beside the plot, its names stand below it, the highest first.
function writeBelow(view, ends) {
  for (const [, name] of ends.sort((a, b) => a[0] - b[0])) {
    const entry = el("span", "", view.legend);
    const size = { width: 20, height: 14, viewBox: "0 0 20 14", "aria-hidden": "true" };
    drawSign(view, shape("svg", entry, size), name, 10, 7);
    entry.append(name);
  }
}

// Before a name stands what its line looks like.
function drawSign(view, svg, name, x, y) {
  const k = rowsOf(view).findIndex(row => row.name === name);
  const hue = hueIn(view, name);
  if (k >= 0) mark(svg, k, x, y, hue);
  const flat = flatOf(view).findIndex(line => line[0] === name);
  const look = { stroke: hue, "stroke-width": 1.4, "stroke-dasharray": LEVELS[flat % 3] };
  if (k < 0) shape("line", svg, { x1: x - 8, x2: x + 8, y1: y, y2: y, ...look });
}

// Bars, means, a line, and the draws at the number of labels that is chosen.
function drawRow(view, { name, places }, k, labels) {
  const { chart, scale } = view;
  const { svg } = chart;
  const hue = hueIn(view, name);
  const x = n => scale.x(n) + 4 * (k - 1.5);
  const d = through(places.map(p => [x(p.labels), scale.y(p.mean)]));
  const dashes = DASHES[k % DASHES.length];
  const line = { stroke: hue, "stroke-width": 1.8, "stroke-dasharray": dashes };
  shape("path", svg, { d, fill: "none", ...line });
  for (const p of places) {
    const [top, foot] = [scale.y(p.mean + p.half), scale.y(p.mean - p.half)];
    shape("line", svg, { x1: x(p.labels), x2: x(p.labels), y1: top, y2: foot, stroke: hue });
    mark(svg, k, x(p.labels), scale.y(p.mean), hue);
  }
  const here = places.find(p => p.labels === labels);
  for (const v of here?.draws ?? []) {
    const dot = {
      cx: scale.x(labels) + DRAWS + 5 * k,
      cy: scale.y(v),
      r: 2.4,
      class: "gx-draw",
      stroke: hue,
    };
    if (v >= scale.low && v <= scale.high) shape("circle", svg, dot);
  }
  const last = places.at(-1);
  reach(view, places, hue);
  return [scale.y(last.mean), name];
}

// Where a row reaches the level: a line down to the labels that it takes.
function reach({ chart, scale, level }, places, hue) {
  const n = labelsTo(places, level);
  if (n === null || n <= places[0].labels) return;
  const { svg, bottom } = chart;
  const at = { x1: scale.x(n), x2: scale.x(n), y1: scale.y(level), y2: bottom };
  shape("line", svg, { ...at, stroke: hue, "stroke-width": 1.4, "stroke-dasharray": "2 2" });
  const [x, y] = [scale.x(n), bottom];
  shape("path", svg, { d: `M${x} ${y}l-5 -8h10Z`, fill: hue, class: "gx-reached" });
}

// Round, square, diamond, triangle: colors alone tell nothing.
function mark(svg, k, x, y, fill) {
  const paths = ["", "m-4 -4h8v8h-8Z", "m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5Z", "m0 -5l5 9h-10Z"];
  const path = paths[k % paths.length];
  if (path) shape("path", svg, { d: `M${x} ${y}${path}`, fill });
  else shape("circle", svg, { cx: x, cy: y, r: 4.2, fill });
}

// ---- the words

function tell(view, labels) {
  const rows = rowsOf(view);
  const takes = rows.map(row => `${row.name} ${wordsOf(row.places, view.level)}`);
  const free = flatOf(view).filter(line => line[1] >= view.level);
  const none = free.map(line => `; ${line[0]} has it without any`).join("");
  const height = `${Math.round(100 * view.level)}%`;
  const all = takes.join("; ") + none;
  view.takes.textContent = `Labels needed for an accuracy of ${height}: ${all}.`;
  view.apart.textContent = whatIsApart(rows, labels);
  view.finding.textContent = findingOf(rows, labels);
}

// The first row against the first that it was compared with.
function findingOf([ours, ...others], labels) {
  const at = row => row.places.find(place => place.labels === labels);
  const other = others.find(row => at(row)?.ahead);
  if (!at(ours) || !other) return `No comparison at ${plural(labels, "label")}.`;
  const [points, , verdict] = at(other).ahead;
  const side = points < 0 ? "behind" : "ahead of";
  const doubt = verdict === "significant" ? "" : ", which may be chance";
  return (
    `With ${plural(labels, "label")}, ${ours.name} is ${inPoints(Math.abs(points))} points ` +
    `${side} ${other.name}${doubt}.`
  );
}

function whatIsApart([ours, ...others], labels) {
  const at = row => row.places.find(place => place.labels === labels);
  const mine = at(ours);
  if (!mine) return "";
  const sure = mine.half === null ? "" : ` ± ${inPoints(mine.half)}`;
  const begin =
    `With ${plural(labels, "label")} (${plural(mine.seeds, "draw")}) ${ours.name} has ` +
    `${inPoints(mine.mean)}${sure}%`;
  const gaps = others.flatMap(row => {
    const gap = at(row)?.ahead;
    return gap ? [asGap(row.name, gap)] : [];
  });
  return `${[begin, ...gaps].join("; ")}.`;
}

function asGap(name, [points, half, verdict]) {
  const side = points < 0 ? "behind" : "ahead of";
  const by = `${inPoints(Math.abs(points))} ± ${inPoints(half)} points`;
  return `${by} ${side} ${name}, ${verdict}`;
}

export default start(draw);
