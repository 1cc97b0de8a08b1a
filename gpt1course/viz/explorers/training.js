// A training run: curves of the loss, a slider over the steps, what the model wrote then.

import { axisNames, chart, levels, shape, through, ticks, writeEnds } from "./common.charts.js";
import { GRAY, ROLES } from "./common.colors.js";
import { choice, ONWARD, slider } from "./common.controls.js";
import { addHeadline, el, liveRegion, setTip } from "./common.elements.js";
import { onChange, setShared } from "./common.traits.js";
import { commas, plural, sum } from "./common.words.js";
import { start } from "./start.js";

const UNITS = {
  nats: ["nats per token", v => v],
  bits: ["bits per token", v => v / Math.LN2],
  perplexity: ["perplexity", Math.exp],
};
const NAMES = { nats: "nats", bits: "bits", perplexity: "perplexity" };
const SCALES = { linear: "linear", log: "log" };
const LASTS = 8000; // milliseconds
const DASHES = ["6 3", "2 3", "8 3 2 3"]; // of the references
const FINE = 100_000; // places of the slider
const SMOOTH = 60; // the smooth curve is a mean over the last of so many parts of the log
const PERPLEXITIES = [3, 10, 30, 100, 300, 1000, 3000, 10000];
const DECADES = [1, 10, 100, 1000, 10000, 100000];

function draw(model, root) {
  const view = { model, unit: model.get("unit"), scale: model.get("scale") };
  view.chosen = model.get("chosen");
  view.finding = addHeadline(root, "", () => (view.timer ? halt(view) : play(view)));
  addControls(view, root);
  for (const name of ["points", "heldout", "samples", "total"]) {
    model.on(`change:${name}`, () => show(view));
  }
  onChange(view, ["chosen"], () => show(view));
  show(view);
}

// ---- controls

function addControls(view, root) {
  const set = traits => {
    setShared(view, traits);
    show(view);
  };
  const controls = el("div", "gx-cols", root);
  choice(controls, "height", NAMES, view.unit, unit => set({ unit }));
  choice(controls, "scale of updates", SCALES, view.scale, scale => set({ scale }));
  const cols = el("div", "gx-cols", root);
  const left = el("div", "gx-aside", cols);
  view.chart = chart(left, 330, 96, () => show(view));
  view.chart.svg.addEventListener("click", e => set({ chosen: lineUnder(view, e) }));
  addSlider(view, left, set);
  const right = el("div", "gx-quoted", cols);
  view.said = liveRegion(right);
  view.wrote = el("blockquote", "gx-wrote", right);
}

// As long as the axis and of its scale; an arrow key is one line of the log.
function addSlider(view, parent, set) {
  const { model } = view;
  const line = v => nearest(view, v / FINE);
  const text = v => commas(model.get("points")[line(v)]?.[0] ?? 0);
  const options = { min: 0, max: FINE, step: 1, value: 0, text, help: "drag to any update" };
  view.drag = slider(parent, "update", options, v => set({ chosen: line(v) }));
  view.drag.row.classList.add("gx-along");
  view.drag.input.addEventListener("keydown", e => {
    const last = model.get("points").length - 1;
    const page = Math.ceil(last / 10);
    const moves = { ...ONWARD, ArrowUp: 1, ArrowDown: -1, PageUp: page, PageDown: -page };
    if (!moves[e.key]) return;
    e.preventDefault();
    set({ chosen: Math.max(0, Math.min(last, chosenLine(view) + moves[e.key])) });
  });
}

function chosenLine({ model, chosen }) {
  const last = model.get("points").length - 1;
  return chosen < 0 ? last : Math.min(chosen, last);
}

// How far along the axis a step stands, 0 to 1.
function along({ model, scale }, step) {
  const points = model.get("points");
  const first = Math.max(1, points[0][0]);
  const last = Math.max(model.get("total"), points.at(-1)[0]);
  const at = Math.max(step, first);
  if (scale === "log") return Math.log(at / first) / Math.log(last / first || 2);
  return (at - first) / (last - first || 1);
}

// The index of the line of the log that is nearest to a place along the axis.
function nearest(view, share) {
  const points = view.model.get("points");
  const away = i => Math.abs(along(view, points[i][0]) - share);
  return points.reduce((best, _, i) => (away(i) < away(best) ? i : best), 0);
}

function lineUnder(view, e) {
  const { svg, W, L, right } = view.chart;
  const box = svg.getBoundingClientRect();
  return nearest(view, (((e.clientX - box.left) / box.width) * W - L) / (right - L));
}

// ---- the chart

function show(view) {
  const { model, drag } = view;
  const points = model.get("points");
  view.chart.svg.replaceChildren();
  // a run that is played would be spoken without end: only where it stops is
  view.said.setAttribute("aria-live", view.timer ? "off" : "polite");
  if (!points.length) {
    view.said.textContent = view.finding.textContent = "The run has not begun.";
    setTip(view.finding, "run the cell that trains");
    axisNames(view.chart, "updates", UNITS[view.unit][0]);
    return;
  }
  const at = chosenLine(view);
  drag.set(Math.round(FINE * along(view, points[at][0])));
  view.finding.textContent = findingOf(view, points, at);
  setTip(view.finding, view.timer ? "stop here" : "play the run from its first update");
  const run = readRun(view, points);
  drawScales(view, run);
  writeEnds(view.chart, [...drawReferences(view, run), ...drawCurves(view, run)]);
  drawNow(view, run, points[at]);
  tell(view, points[at]);
}

// All lines of the run in the unit of this view, and where they stand in the chart.
function readRun(view, points) {
  const { model, chart, unit } = view;
  const { L, T, right, bottom } = chart;
  const of = UNITS[unit][1];
  const heldout = model.get("heldout");
  const references = Object.entries(model.get("references"));
  const first = Math.max(1, points[0][0]);
  const last = Math.max(model.get("total"), points.at(-1)[0]);
  const seen = v => (unit === "perplexity" ? Math.log10(v) : v);
  const all = [...points, ...heldout, ...references].map(line => seen(of(line[1])));
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const room = 0.05 * (most - least || 1);
  const [low, high] = [least - room, most + room];
  const x = step => L + (right - L) * along(view, step);
  const y = v => T + ((bottom - T) * (high - seen(v))) / (high - low);
  return { points, heldout, references, of, seen, first, last, low, high, x, y };
}

function drawScales({ chart, unit, scale }, { seen, first, last, low, high, x, y }) {
  const { svg, bottom } = chart;
  const inside = PERPLEXITIES.filter(v => seen(v) > low && seen(v) < high);
  levels(chart, unit === "perplexity" ? inside : ticks(low, high), y, commas);
  const decades = DECADES.filter(s => s >= first && s <= last);
  for (const s of scale === "log" ? decades : ticks(first, last)) {
    shape("text", svg, { x: x(s), y: bottom + 18, "text-anchor": "middle" }, commas(s));
  }
  axisNames(chart, scale === "log" ? "updates, log scale" : "updates", UNITS[unit][0]);
}

// Level lines; returns where each one ends, and its name.
function drawReferences({ chart }, { references, of, y }) {
  const { svg, L, right } = chart;
  return references.map(([name, nats], i) => {
    const height = y(of(nats));
    const line = { x1: L, x2: right, y1: height, y2: height };
    shape("line", svg, { ...line, stroke: GRAY, "stroke-dasharray": DASHES[i % 3] });
    return [height, name];
  });
}

function drawCurves({ chart }, { points, heldout, of, x, y }) {
  const { svg } = chart;
  const ends = [];
  const curve = (name, lines, width, opacity = 1) => {
    if (!lines.length) return;
    const d = through(lines.map(([step, nats]) => [x(step), y(of(nats))]));
    const stroke = { stroke: ROLES[name], "stroke-width": width, "stroke-opacity": opacity };
    shape("path", svg, { d, fill: "none", ...stroke });
    if (opacity === 1) ends.push([y(of(lines.at(-1)[1])), name]);
  };
  const noisy = points.length > SMOOTH;
  curve("training", points, 1.2, noisy ? 0.35 : 1);
  if (noisy) curve("training", smooth(points), 1.8);
  curve("held out", heldout, 2);
  for (const [step, nats] of heldout) {
    const dot = { cx: x(step), cy: y(of(nats)), r: 3, fill: ROLES["held out"] };
    shape("circle", svg, dot);
  }
  return ends;
}

// Each point as the mean of those around it, of fewer near the ends.
function smooth(points) {
  const widest = Math.ceil(points.length / SMOOTH / 2);
  return points.map(([step], i) => {
    const reach = Math.min(widest, i, points.length - 1 - i);
    const near = points.slice(i - reach, i + reach + 1);
    return [step, sum(near.map(point => point[1])) / near.length];
  });
}

function drawNow({ chart }, { of, x, y }, [step, nats]) {
  const { svg, T, bottom } = chart;
  shape("line", svg, { x1: x(step), x2: x(step), y1: T, y2: bottom, class: "gx-now" });
  shape("circle", svg, { cx: x(step), cy: y(of(nats)), r: 4, class: "gx-here" });
}

// ---- the run, played: eight seconds from the first line to the last

function play(view) {
  const { model } = view;
  if (model.get("points").length < 2) return;
  const begun = performance.now();
  view.timer = setInterval(() => {
    const share = Math.min(1, (performance.now() - begun) / LASTS);
    const line = nearest(view, share);
    const isLast = share === 1 || line === model.get("points").length - 1;
    if (isLast || !view.finding.isConnected) halt(view); // first, so that the end is spoken
    go(view, line);
  }, 50);
  go(view, 0);
}

function halt(view) {
  clearInterval(view.timer);
  view.timer = 0;
  show(view);
}

function go(view, chosen) {
  setShared(view, { chosen });
  show(view);
}

// ---- the words

function findingOf({ unit }, points, at) {
  const of = UNITS[unit][1];
  const digits = unit === "perplexity" ? 0 : 2;
  const [first, now] = [points[0], points[at]].map(([, nats]) => of(nats).toFixed(digits));
  const what = unit === "perplexity" ? "perplexity" : "loss";
  const after = `After ${plural(points[at][0], "update")} the ${what} is ${now}`;
  if (!at) return `${after}: it has learned next to nothing.`;
  if (now === first) return `${after}, as at first.`;
  return `${after}, ${+now < +first ? "down" : "up"} from ${first}.`;
}

function tell({ model, chart, unit, said, wrote }, [step, nats]) {
  const [name, of] = UNITS[unit];
  const value = of(nats);
  const sample = model.get("samples").findLast(([s]) => s <= step);
  const amount =
    unit === "perplexity"
      ? `perplexity is ${value.toFixed(0)}`
      : `loss is ${value.toFixed(2)} ${name}`;
  const more = sample ? ` What the model wrote after ${plural(sample[0], "update")}:` : "";
  said.textContent = `After ${plural(step, "update")} the training ${amount}.${more}`;
  chart.svg.setAttribute("aria-label", said.textContent);
  wrote.textContent = sample ? sample[1] : "";
  wrote.style.visibility = sample ? "visible" : "hidden";
}

export default start(draw);
