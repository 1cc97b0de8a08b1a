// Stored runs over the values of one setting: each seed a dot, mean and interval a bar.

import { axisNames, chart, levels, shape, through, ticks } from "./common.charts.js";
import { hueOf } from "./common.colors.js";
import { choice } from "./common.controls.js";
import { addHeadline, el, liveRegion } from "./common.elements.js";
import { save } from "./common.traits.js";
import { inPoints, percent, plural, rounded, sum } from "./common.words.js";
import { start } from "./start.js";

const NOTE =
  "Dot: one run. Bar: the 95% interval of the mean over seeds, by Student's t. " +
  "Significant: seed by seed, and corrected for the number of differences (Holm's rule).";

function draw(model, root) {
  const view = { model, values: model.get("values"), setting: model.get("setting") };
  view.tasks = Object.entries(model.get("tasks"));
  view.hues = view.tasks.map((_, k) =>
    hueOf(
      view.tasks.map(([name]) => name),
      k,
    ),
  );
  const onward = () => choose(view, (chosenAt(view) + 1) % view.values.length);
  addHeadline(root, "step to the next value", onward).textContent = `${headline(view)}.`;
  const names = Object.fromEntries(view.values.map((value, i) => [`v${i}`, value]));
  view.picker = choice(root, view.setting, names, "", key => choose(view, +key.slice(1)));
  view.chart = chart(el("div", "", root), 300, 120, () => show(view));
  view.said = liveRegion(root);
  el("p", "gx-note", root, NOTE);
  addScales(view);
  const { svg } = view.chart;
  svg.addEventListener("click", e => choose(view, valueUnder(view, e)));
  model.on("change:chosen", () => show(view));
  show(view);
}

// x of the i-th value and y of an accuracy, in the chart's own units.
function addScales(view) {
  const { chart } = view;
  const { L, T, bottom } = chart;
  const n = view.values.length;
  const everything = view.tasks.flatMap(([, places]) =>
    places.flatMap(({ seeds, mean, half }) => [...seeds, mean - half, mean + half]),
  );
  view.low = Math.min(...everything) - 0.01;
  view.high = Math.max(...everything) + 0.01;
  view.x = i => L + ((chart.right - L) * (i + 0.5)) / n;
  view.y = v => T + ((bottom - T) * (view.high - v)) / (view.high - view.low);
}

function valueUnder({ chart, values }, e) {
  const { svg, W, L, right } = chart;
  const box = svg.getBoundingClientRect();
  const share = (((e.clientX - box.left) / box.width) * W - L) / (right - L);
  return Math.min(values.length - 1, Math.max(0, Math.floor(share * values.length)));
}

function choose(view, i) {
  save(view.model, { chosen: view.values[i] });
  show(view);
}

const chosenAt = ({ model, values }) => values.indexOf(model.get("chosen"));

// ---- the chart

function show(view) {
  const { chart, values, setting, tasks, x, y } = view;
  const { svg, T, bottom } = chart;
  const at = chosenAt(view);
  view.picker.set(`v${at}`);
  svg.replaceChildren();
  const width = Math.min(60, x(1) - x(0) || 60);
  const band = { x: x(at) - width / 2, width, y: T, height: bottom - T };
  shape("rect", svg, { ...band, class: "gx-band" });
  levels(chart, ticks(view.low, view.high), y, rounded);
  values.forEach((value, i) => {
    const style = { "text-anchor": "middle", class: i === at ? "gx-strong" : "" };
    shape("text", svg, { x: x(i), y: bottom + 18, ...style }, value);
  });
  axisNames(chart, setting, "accuracy");
  tasks.forEach(([task, places], k) => {
    drawTask(view, task, places, k);
  });
  const sentences = tasks.map(([task, places]) => sentence(view, task, places[at], at));
  view.said.textContent = `${setting} = ${values[at]}. ${sentences.join(" ")}`;
  svg.setAttribute("aria-label", view.said.textContent);
}

// The k-th task, a little beside the others: its runs, intervals, means and a line.
function drawTask(view, task, places, k) {
  const { svg, right } = view.chart;
  const hue = view.hues[k];
  const apart = Math.min(14, (view.x(1) - view.x(0)) / 3);
  const aside = apart * (k - (view.tasks.length - 1) / 2);
  places.forEach((place, i) => {
    drawPlace(view, place, view.x(i) + aside, hue, k % 2);
  });
  const d = through(places.map((place, i) => [view.x(i) + aside, view.y(place.mean)]));
  const dashes = k % 2 ? "4 3" : "";
  const line = { stroke: hue, "stroke-width": 1, "stroke-dasharray": dashes };
  shape("path", svg, { d, fill: "none", ...line });
  const end = { x: right + 4, y: view.y(places.at(-1).mean) + 4 };
  shape("text", svg, end, task.replaceAll("_", " "));
}

function drawPlace({ chart, y }, { seeds, mean, half }, x, hue, square) {
  const { svg } = chart;
  const interval = { x1: x, x2: x, y1: y(mean - half), y2: y(mean + half) };
  shape("line", svg, { ...interval, stroke: hue, "stroke-width": 2 });
  for (const seed of seeds) shape("circle", svg, { cx: x + 6, cy: y(seed), r: 2.2, fill: hue });
  const corner = { x: x - 4.5, y: y(mean) - 4.5, width: 9, height: 9 };
  if (square) shape("rect", svg, { ...corner, fill: hue });
  else shape("circle", svg, { cx: x, cy: y(mean), r: 5, fill: hue });
}

// ---- the words

const withSign = v => (v < 0 ? "−" : "+") + inPoints(Math.abs(v));

// What the sweep has found: how many differences are significant, and which.
function headline({ model, tasks, values, setting }) {
  const compared = model.get("compared");
  const others = values.map((_, i) => i).filter(i => values[i] !== compared);
  const found = tasks.map(([task, places]) => {
    const kept = others.filter(i => places[i].significant);
    const texts = kept.map(i => `${withSign(places[i].difference)} points at ${values[i]}`);
    return { n: kept.length, text: `${task.replaceAll("_", " ")} ${texts.join(", ")}` };
  });
  const n = sum(found.map(task => task.n));
  const all = plural(others.length * tasks.length, "difference");
  const of = `of ${all} from ${setting} = ${compared}`;
  if (!n) return `None ${of} is significant`;
  const texts = found.filter(task => task.n).map(task => task.text);
  return `${n} ${of} ${n > 1 ? "are" : "is"} significant: ${texts.join("; ")}`;
}

function sentence({ model, values }, task, place, at) {
  const { seeds, mean, half, difference, difference_half } = place;
  const runs = plural(seeds.length, "seed");
  const accuracy = `${percent(mean)} ± ${inPoints(half)} points over ${runs}`;
  const begin = `${task.replaceAll("_", " ")}: ${accuracy}`;
  const compared = model.get("compared");
  if (values[at] === compared) return `${begin}.`;
  const verdict = place.significant ? "significant" : "not significant";
  const against = `against ${compared}, seed by seed`;
  const points = `${withSign(difference)} ± ${inPoints(difference_half)} points`;
  return `${begin}; ${against}, ${points}, ${verdict}.`;
}

export default start(draw);
