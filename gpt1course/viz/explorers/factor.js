// What the output of a head is multiplied by: 0 is off, 1 as it is.

import { slider } from "./common.controls.js";
import { headName } from "./common.words.js";

export const timesOf = factor => `× ${+factor.toFixed(2)}`;

// A slider that turns one head down; tells onInput(factor).
export function factorSlider(parent, step, onInput) {
  const options = { min: 0, max: 1, step, value: 1, text: timesOf };
  return slider(parent, "", options, onInput);
}

// The head that the slider turns, and where it is now.
export function showFactor(knob, view, head, factor) {
  knob.row.firstChild.textContent = `${headName(view, head)}: output`;
  knob.set(factor);
}
