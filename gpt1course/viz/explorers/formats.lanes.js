// The four formats side by side, as in Figure 1: each a button with its rows in small.

import { ROLES } from "./common.colors.js";
import { choice } from "./common.controls.js";
import { el } from "./common.elements.js";

export const NAMES = {
  classification: "classification",
  entailment: "entailment",
  similarity: "similarity",
  choice: "multiple choice",
};

// Which texts the rows of a kind hold, by their places.
export function textsOf(kind, n) {
  if (kind === "similarity") {
    return [
      [0, 1],
      [1, 0],
    ];
  }
  const rest = Array.from({ length: n - 1 }, (_, i) => i + 1);
  return kind === "choice" ? rest.map(i => [0, i]) : [[0, ...rest]];
}

// A text has its color in whatever order it is read.
export const roleOf = text => ["special", "segment 1", "segment 2"][Math.min(text, 1) + 1];

export function addLanes({ model, root, kind }, onPick) {
  const fields = model.get("fields");
  const lanes = choice(root, "task", NAMES, kind, onPick);
  lanes.box.classList.add("gx-lanes");
  [...lanes.box.querySelectorAll("button")].forEach((b, i) => {
    const name = Object.keys(NAMES)[i];
    b.append(sketch(textsOf(name, fields[name].length)));
  });
  return lanes;
}

// Rows of boxes, the model that all of them run through, and what reads the last state.
function sketch(rows) {
  const lane = el("span", "gx-lane", null);
  lane.setAttribute("aria-hidden", "true");
  const box = el("span", "gx-lane-rows", lane);
  for (const texts of rows) {
    const row = el("span", "", box);
    for (const text of [-1, ...texts.flatMap(i => [i, -1])]) {
      const piece = el("i", text < 0 ? "gx-lane-special" : "", row);
      piece.style.background = ROLES[roleOf(text)];
    }
  }
  el("i", "gx-lane-model", lane);
  el("i", "gx-lane-head", lane);
  return lane;
}
