// What a run of stages holds: weights by stage, head, row and column, and when a head
// focuses on one token.

import { bytes } from "./common.traits.js";
import { capital, headName, labels, percent, plural } from "./common.words.js";

const CHOSEN = ["chosen", "stage", "head", "row"];
const room = T => (T * (T + 1)) / 2; // of what the rows of a causal pattern may see

// The traits, and where the chosen sentence lies in the bytes.
export function readRun(model, view = { model }) {
  for (const name of CHOSEN) view[name] = model.get(name);
  for (const name of ["texts", "steps", "curve", "losses", "most", "first_row"])
    view[name] = model.get(name);
  Object.assign(view, { L: model.get("n_layer"), H: model.get("n_head") });
  view.S = view.steps.length;
  view.data ??= new Uint8Array(bytes(model, "data"));
  const patterns = view.S * view.L * view.H;
  const before = view.texts.slice(0, view.chosen);
  view.from = before.reduce((at, pieces) => at + patterns * room(pieces.length), 0);
  view.tokens = view.texts[view.chosen];
  view.T = view.tokens.length;
  view.names = labels(view.tokens);
  view.row = Math.min(view.row, view.T - 1);
  return view;
}

// A weight at a stage, or between two of them.
export function weightAt(view, stage, head, q, k) {
  const { data, from, L, H, T, S } = view;
  const at = s => data[from + (s * L * H + head) * room(T) + room(q) + k] / 255;
  const low = Math.min(S - 1, Math.floor(stage));
  if (low === stage) return at(low);
  return at(low) + (at(low + 1) - at(low)) * (stage - low);
}

// The largest weight of a head at a stage that a row puts on one earlier token: what, from
// which row, on which column. The first rows do not count: they have few tokens to choose from.
export function sharpest(view, stage, head) {
  let best = { weight: -1, row: 0, column: 0 };
  for (let row = view.first_row; row < view.T; row++) {
    for (let column = 0; column < row; column++) {
      const weight = weightAt(view, stage, head, row, column);
      if (weight > best.weight) best = { weight, row, column };
    }
  }
  return best;
}

// Where a head first puts more than half of a row's weight on one token; else where it comes
// nearest to that.
export function firstLook(view, head) {
  const looks = view.steps.map((_, stage) => ({ stage, ...sharpest(view, stage, head) }));
  const nearer = (one, other) => (other.weight > one.weight ? other : one);
  return looks.find(({ weight }) => weight > view.most) ?? looks.reduce(nearer);
}

// When the chosen head first focuses, and what looks at what then.
export function findingOf(view) {
  const { L, H, head, most, steps, names } = view;
  const looks = Array.from({ length: L * H }, (_, i) => firstLook(view, i));
  const { stage, weight, row, column } = looks[head];
  const after = `after ${plural(steps[stage], "update")}`;
  const [name, now] = [capital(headName(view, head)), percent(weight)];
  const little = `at most ${now} on one earlier token, ${after}`;
  if (weight <= most) return `${name} never focuses: ${little}.`;
  const when = looks.filter(look => look.weight > most).map(look => look.stage);
  const alone = when.filter(other => other === stage).length === 1;
  const first = alone ? "is the first to focus" : "is among the first to focus";
  const how = stage > Math.min(...when) ? "focuses" : first;
  const look = `“${names[row]}” puts ${now} of its weight on “${names[column]}”`;
  return `${name} ${how}: ${after}, ${look}.`;
}
