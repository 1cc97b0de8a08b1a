// The loss of the run over its updates, a dot for each stage, and a slider from stage to stage.

import { axisNames, chart, levels, shape, through, ticks } from "./common.charts.js";
import { ROLES } from "./common.colors.js";
import { slider } from "./common.controls.js";
import { commas, minus, plural } from "./common.words.js";

const DECADES = [0, 1, 10, 100, 1000, 10_000, 100_000];

export function addRun(view, parent) {
  view.chart = chart(parent, 300, 18, () => drawRun(view));
  view.chart.svg.addEventListener("click", e => view.setStage(stageUnder(view, e)));
  const { steps, S, stage } = view;
  const text = i => plural(steps[i], "update");
  const options = { min: 0, max: S - 1, step: 1, value: stage, text };
  view.drag = slider(parent, "stage", options, view.setStage);
  view.drag.row.classList.add("gx-grown-along");
}

// How far along the axis an update stands, 0 to 1: a logarithmic scale, and 0 before its 1.
function along({ steps, S }, step) {
  return step < 1 ? 0 : (1 + Math.log2(step)) / (1 + Math.log2(steps[S - 1]));
}

function placesOf(view) {
  const { chart: room, curve } = view;
  const losses = curve.map(point => point[1]);
  const [low, high] = [Math.min(...losses) - 0.3, Math.max(...losses) + 0.3];
  const x = step => room.L + (room.right - room.L) * along(view, step);
  const y = nats => room.T + ((room.bottom - room.T) * (high - nats)) / (high - low);
  return { low, high, x, y };
}

function stageUnder(view, e) {
  const { svg, W } = view.chart;
  const box = svg.getBoundingClientRect();
  const { x } = placesOf(view);
  const at = ((e.clientX - box.left) / box.width) * W;
  const away = i => Math.abs(x(view.steps[i]) - at);
  return view.steps.reduce((best, _, i) => (away(i) < away(best) ? i : best), 0);
}

// first: the stage that the headline names.
export function showRun(view, first) {
  view.first = first;
  view.drag.set(view.stage);
  drawRun(view);
}

function drawRun(view) {
  const { chart: room, steps, losses, curve, stage, S, first } = view;
  const { svg, T, bottom } = room;
  const { low, high, x, y } = placesOf(view);
  svg.replaceChildren();
  levels(room, ticks(low, high, 4), y, v => minus(v));
  for (const step of DECADES.filter(step => step <= steps[S - 1])) {
    const at = { x: x(step), y: bottom + 18, "text-anchor": "middle" };
    shape("text", svg, at, commas(step));
  }
  axisNames(room, "updates, log scale", "nats per token");
  const d = through(curve.map(([step, nats]) => [x(step), y(nats)]));
  shape("path", svg, { d, fill: "none", stroke: ROLES.training, "stroke-width": 2 });
  const now = x(steps[stage]);
  shape("line", svg, { x1: now, x2: now, y1: T, y2: bottom, class: "gx-now" });
  steps.forEach((step, i) => {
    const place = { cx: x(step), cy: y(losses[i]), r: i === stage ? 6 : 3.5 };
    const look = i === stage ? { class: "gx-here" } : { fill: ROLES.training };
    shape("circle", svg, { ...place, ...look });
    if (i === first) shape("circle", svg, { ...place, r: 9, class: "gx-grown-first" });
  });
  const [from, to] = [losses[0], losses[S - 1]].map(nats => nats.toFixed(2));
  const told = `The loss at ${S} stages, from ${from} to ${to} nats per token`;
  svg.setAttribute("aria-label", `${told}; now after ${plural(steps[stage], "update")}`);
}
