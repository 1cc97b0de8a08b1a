// What a run that learns nothing, or nothing more, is told.

import { commas, plural } from "./common.words.js";

// Why too high a rate does not learn; peak: the rate that was chosen.
export function whyDiverged({ step, peak, best, loss }) {
  const where = Number.isFinite(loss)
    ? `The loss has climbed from ${best.toFixed(2)} to ${loss.toFixed(2)}`
    : "The loss is not a number any more";
  const times = peak / 0.02;
  const size = times < 1 ? `${Math.round(100 * times)}% of` : plural(Math.round(times), "time");
  return (
    `It has diverged, at update ${commas(step)}. ${where}. Adam moves each weight by about ` +
    `the rate, ${peak}, which is ${size} the 0.02 by which fresh weights differ. A gradient ` +
    "is true only near the point where it was computed, and so large a step lands where the " +
    "loss is higher. Lower the rate, and begin again."
  );
}

// On the plateau at letter frequencies.
export function whyStuck({ step, peak }) {
  const way = peak > 0.003 ? "Begin again with a lower rate" : "Try a higher rate, or wait";
  return (
    `It is on a plateau. After ${commas(step)} updates it knows how frequent each character ` +
    `is, and makes no use of the characters before. ${way}.`
  );
}
