// What the kernel or the engine sent, as numbers of one token at one place of the model.

import { floats, halves } from "./common.traits.js";
import { labels, minus, sum } from "./common.words.js";

const KINDS = ["mixed", "attended", "n", "mlp", "h"]; // in `states`, for each block

export function readArrays(view) {
  const { model } = view;
  const [L, H, C, V] = model.get("shape");
  const tokens = model.get("tokens");
  Object.assign(view, { L, H, C, V, D: C / H, T: tokens.length, tokens });
  view.names = labels(tokens);
  for (const name of ["rows", "states", "neurons"]) view[name] = halves(model, name);
  for (const name of ["qkv", "scores", "weights"]) view[name] = floats(model, name);
  for (const name of ["ids", "lens", "whole", "words", "crowd"]) view[name] = model.get(name);
  view.sums = added(view.rows.subarray(0, view.T * C), view.rows.subarray(view.T * C));
  view.looks = Array.from({ length: L }, (_, block) => meanWeights(view, block));
}

export const added = (a, b) => Float32Array.from(a, (v, i) => v + b[i]);

export const part = (values, at, width) => values.subarray(at * width, (at + 1) * width);

// Row t of W_e (table 0) or W_p (1), and their sum.
export const rowOfTable = ({ rows, T, C }, table, t) => part(rows, table * T + t, C);
export const sumRow = ({ sums, C }, t) => part(sums, t, C);

export function stateOf({ states, T, C }, block, kind, t) {
  return part(states, (block * KINDS.length + KINDS.indexOf(kind)) * T + t, C);
}

// What comes into a block.
export const incoming = (view, block, t) =>
  block ? stateOf(view, block - 1, "h", t) : sumRow(view, t);

export const neuronsAt = ({ neurons, T, C }, block, t) => part(neurons, block * T + t, 4 * C);

// q (0), k (1) or v (2) of a token in a head.
export function vectorOf({ qkv, T, C, D }, which, block, head, t) {
  const from = (block * T + t) * 3 * C + which * C + head * D;
  return qkv.subarray(from, from + D);
}

// What a head brings to a token: its weights times the values.
export const broughtBy = (view, block, head, t) =>
  part(stateOf(view, block, "mixed", t), head, view.D);

// What the output of head i (block * H + head) is multiplied by: 0 is off, 1 as it is.
export const factorAt = ({ factors }, i) => factors[i] ?? 1;
export const factorOf = (view, block, head) => factorAt(view, block * view.H + head);
export const isScaled = factors => Object.keys(factors).length > 0;

const cellAt = ({ T, H }, values, block, head, t, s) =>
  values[((block * H + head) * T + t) * T + s];
export const weightOf = (view, block, head, t, s) =>
  cellAt(view, view.weights, block, head, t, s);
export const scoreOf = (view, block, head, t, s) =>
  cellAt(view, view.scores, block, head, t, s);

// The mean of the heads that are not off, (T, T).
function meanWeights(view, block) {
  const { T, H } = view;
  const heads = Array.from({ length: H }, (_, h) => h).filter(h => factorOf(view, block, h));
  return Float32Array.from({ length: T * T }, (_, i) => {
    const [t, s] = [Math.floor(i / T), i % T];
    return sum(heads.map(h => weightOf(view, block, h, t, s))) / (heads.length || 1);
  });
}

// Full color stands for so many mean sizes of these rows of numbers, or for more.
export function reach(rows, times = 3) {
  let [total, n] = [0, 0];
  for (const row of rows) {
    for (const v of row) total += Math.abs(v);
    n += row.length;
  }
  return (times * total) / n || 1;
}

// The head that looks hardest at one earlier token, not the first and not the one before.
export function tellingLook(view) {
  let best = { block: 0, head: 0, place: view.T - 1, other: 0, weight: 0 };
  for (let block = 0; block < view.L; block++) {
    for (let head = 0; head < view.H; head++) {
      for (let place = 3; place < view.T; place++) {
        for (let other = 1; other < place - 1; other++) {
          const weight = weightOf(view, block, head, place, other);
          if (weight > best.weight) best = { block, head, place, other, weight };
        }
      }
    }
  }
  // of one to three tokens there is none: the last one's look at the first
  return best.weight ? best : { ...best, weight: weightOf(view, 0, 0, best.place, 0) };
}

export const two = v => minus(v.toFixed(2));
