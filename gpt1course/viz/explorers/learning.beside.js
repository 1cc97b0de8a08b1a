// Two models on the same text: which one learns, and the curve of the one before.

import { shape, through } from "./common.charts.js";
import { choice } from "./common.controls.js";
import { plural } from "./common.words.js";

export const MODELS = { gpt: "GPT-1", lstm: "LSTM" };
export const ENOUGH = 20; // updates, for a curve that is kept
const POINTS = 240; // of the curve: a screen shows no more

// What is kept of a run when another model begins on the same text.
export function curveOf({ settings, losses, smooth, step }) {
  return { model: settings.model, losses, smooth, step };
}

export function addModels({ training }, row) {
  return choice(row, "model", MODELS, training.settings.model, model => {
    if (model !== training.settings.model) training.begin({ model });
  });
}

// The curve of the other model, gray and dashed, with its name and where it ended.
export function drawEarlier({ training, chart }, x, y) {
  const { earlier } = training;
  if (!earlier) return;
  const points = thinned(earlier.losses, 2, x).map(([s, v]) => [x(s), y(v)]);
  shape("path", chart.svg, { d: through(points), class: "gx-learn-earlier" });
  const [left, height] = points.at(-1);
  const isLow = chart.bottom - height < 22;
  const place = { x: left - 4, y: isLow ? height - 8 : height + 16, "text-anchor": "end" };
  const name = `${MODELS[earlier.model]} before it: ${earlier.smooth.toFixed(2)}`;
  shape("text", chart.svg, { ...place, class: "gx-learn-level" }, name);
}

export function earlierInWords({ earlier }) {
  if (!earlier) return [];
  const { model, step, smooth } = earlier;
  const after = `after ${plural(step, "update")}`;
  return [`the ${MODELS[model]} before it had ${smooth.toFixed(2)} nats ${after}`];
}

// Why there is no picture of an LSTM's attention, and none of its positions.
export const WITHOUT = {
  heads: ({ units }) =>
    `An LSTM has no attention. What it knows of the characters before is in its ${units} ` +
    "cells, which it changes at each character.",
  positions: () =>
    "An LSTM has no position embeddings. It reads one character after the other, so it " +
    "needs no vector for each place.",
};

// [updates before it, loss]: one for each place on the axis, the last of those that share it.
export function thinned(losses, k, x) {
  const kept = new Map();
  const wide = x(losses.at(-1)[0]) - x(0) || 1;
  for (const loss of losses) {
    if (Number.isFinite(loss[k])) kept.set(Math.floor((POINTS * x(loss[0])) / wide), loss);
  }
  return [...kept.values()].map(loss => [loss[0] - 1, loss[k]]);
}
