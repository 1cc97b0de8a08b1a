// The loss over updates, on a logarithmic axis, with three levels, a flag, and the stage shown.

import { axisNames, chart, levels, shape, through, ticks } from "./common.charts.js";
import { BLUE, ORANGE, RED } from "./common.colors.js";
import { el } from "./common.elements.js";
import { commas, plural } from "./common.words.js";
import { drawEarlier, earlierInWords, thinned } from "./learning.beside.js";
import { LEVELS } from "./learning.training.js";

const TALL = 300; // pixels

export function addCurve(view, parent) {
  const box = el("div", "gx-learn-curve", parent);
  view.chart = chart(box, TALL, 14, () => showCurve(view));
  view.chart.L = 44;
  const { svg } = view.chart;
  svg.setAttribute("aria-label", "The loss, which has not been computed yet");
  view.nats = el("p", "gx-note", box);
  const plant = e => {
    if (view.training.step || !view.training.about) return;
    plantFlag(view, stepUnder(view, e));
  };
  svg.addEventListener("pointerdown", e => {
    plant(e);
    if (!view.training.step) svg.setPointerCapture(e.pointerId);
  });
  svg.addEventListener("pointermove", e => e.buttons && plant(e));
}

// x of an update and y of a loss.
function scalesOf({ training, chart }) {
  const { L, T, right, bottom } = chart;
  const { total, levels } = training.about;
  const top = Math.min(Math.max(levels.uniform + 0.4, training.worst), 2 * levels.uniform + 1);
  const wide = Math.log10(total + 1);
  const x = step => L + ((right - L) * Math.log10(step + 1)) / wide;
  const y = loss => T + (bottom - T) * (1 - Math.min(1, loss / top));
  return { x, y, top, wide };
}

function stepUnder({ training, chart }, e) {
  const box = chart.svg.getBoundingClientRect();
  const share = ((e.clientX - box.left) * chart.W) / box.width - chart.L;
  const wide = Math.log10(training.about.total + 1);
  const step = Math.round(10 ** ((share / (chart.right - chart.L)) * wide) - 1);
  return Math.min(training.about.total, Math.max(1, step));
}

export function showCurve(view) {
  const { training, chart } = view;
  const { svg, T, L, right, bottom } = chart;
  svg.replaceChildren();
  if (!training.about) return;
  const { x, y, top } = scalesOf(view);
  levels(chart, ticks(0, top, 4), y, String);
  for (const step of [0, 1, 10, 100, 1000].filter(s => s <= training.about.total)) {
    shape("text", svg, { x: x(step), y: bottom + 18, "text-anchor": "middle" }, commas(step));
  }
  axisNames(chart, "updates", "nats per character");
  for (const [key, name] of Object.entries(LEVELS)) {
    const [at, value] = [y(training.about.levels[key]), training.about.levels[key].toFixed(2)];
    shape("line", svg, { x1: L, x2: right, y1: at, y2: at, class: "gx-now" });
    const under = key === "uniform" ? -5 : 14;
    const place = {
      x: right - 4,
      y: at + under,
      "text-anchor": "end",
      class: "gx-learn-level",
    };
    shape("text", svg, place, `${name} ${value}`);
  }
  drawEarlier(view, x, y);
  drawLosses(view, x, y);
  drawFlags(view, x, T, bottom);
  const { shown } = training;
  if (training.at >= 0 && shown) {
    shape("line", svg, {
      x1: x(shown.step),
      x2: x(shown.step),
      y1: T,
      y2: bottom,
      class: "gx-learn-at",
    });
  }
  svg.setAttribute("aria-label", inWords(training));
  view.nats.textContent = aboutLevels(training.about.levels);
}

// The smoothed loss, bold; that of each update, pale.
function drawLosses({ training, chart }, x, y) {
  const { losses } = training;
  if (!losses.length) return;
  const [raw, smooth] = [1, 2].map(k => thinned(losses, k, x).map(([s, v]) => [x(s), y(v)]));
  const line = { fill: "none", stroke: BLUE };
  shape("path", chart.svg, { d: through(raw), ...line, "stroke-opacity": 0.35 });
  shape("path", chart.svg, { d: through(smooth), ...line, "stroke-width": 2.5 });
}

// What was guessed, and where the first real word was written.
function drawFlags({ training, chart }, x, top, bottom) {
  const { svg } = chart;
  flag(
    svg,
    x(training.guess),
    top,
    bottom,
    `your guess: ${commas(training.guess)}`,
    ORANGE,
    0,
    180,
  );
  if (!training.first) return;
  const { step, word } = training.first;
  flag(svg, x(step), top, bottom, `“${word}”: ${commas(step)}`, RED, 16, chart.right - 110);
}

// from: where its name is on its left, so that it leaves neither the picture nor its place.
function flag(svg, x, top, bottom, name, hue, lower, from) {
  const y = top + 46 + lower + (bottom - top) / 2;
  shape("line", svg, { x1: x, x2: x, y1: y, y2: bottom, stroke: hue, "stroke-width": 2 });
  shape("path", svg, { d: `M${x} ${y}l12 5l-12 5z`, fill: hue });
  const left = x > from;
  const place = { x: left ? x - 6 : x + 16, y: y + 9, "text-anchor": left ? "end" : "start" };
  shape("text", svg, { ...place, class: "gx-learn-flag" }, name);
}

// What the level lines are, and what a nat is.
function aboutLevels({ pairs }) {
  return (
    "The three level lines need no model. Guessing gives each character the same " +
    "probability, letter frequencies know how often each one occurs, and letter pairs " +
    `also know the character before. A loss of ${pairs.toFixed(2)} nats is that of an even ` +
    `choice among ${Math.exp(pairs).toFixed(1)} characters.`
  );
}

function inWords(training) {
  const loss = training.smooth?.toFixed(2) ?? training.about.levels.uniform.toFixed(2);
  const broken = Object.entries(LEVELS)
    .filter(([key]) => training.crossed[key])
    .map(([key, name]) => `below ${name} after ${plural(training.crossed[key], "update")}`);
  const said = [`The loss after ${plural(training.step, "update")}: ${loss} nats`, ...broken];
  said.push(...earlierInWords(training));
  return `${said.join("; ")}.`;
}

// At the nearest place of its slider, so that the chart and the slider show the same.
export function plantFlag(view, step) {
  const { training, flagSteps, flag } = view;
  if (training.step) return;
  const away = i => Math.abs(Math.log(flagSteps[i] / step));
  const at = flagSteps.reduce((best, _, i) => (away(i) < away(best) ? i : best), 0);
  Object.assign(training, { guess: flagSteps[at], hasGuessed: true });
  flag.set(at);
  showCurve(view);
}
