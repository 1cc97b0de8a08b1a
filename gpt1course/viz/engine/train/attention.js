// Masked multi-head self-attention and its gradient, as in gpt1lib/numpy_gpt.py.
//
// A head's q, k and v are columns of qkv (B T, 3 C), so that each product of a head is one
// product with longer steps from row to row.

import { linear, linearBackward } from "./layers.js";

// kept: qkv (B T, 3 C), weights (B, H, T, T), mixed (B T, C); y (B T, C).
export function attention(arena, params, x, kept, y, sizes) {
  const { B, T, H } = sizes;
  linear(arena, params.qkv, x, kept.qkv, B * T);
  for (let i = 0; i < B * H; i++) mixHead(arena, kept, i, sizes);
  linear(arena, params.project, kept.mixed, y, B * T);
}

// Where the numbers of the i-th head of a batch begin.
function places(arena, kept, i, { T, C, H }) {
  const D = C / H;
  const [b, h] = [Math.floor(i / H), i % H];
  const q = arena.at(kept.qkv) + b * T * 3 * C + h * D;
  const mixed = b * T * C + h * D;
  return { D, q, k: q + C, v: q + 2 * C, mixed, weights: i * T * T, row: 3 * C };
}

function mixHead(arena, kept, i, sizes) {
  const { T, C } = sizes;
  const { D, q, k, v, mixed, weights, row } = places(arena, kept, i, sizes);
  const w = arena.at(kept.weights) + weights;
  const turned = arena.turned(k, row, arena.at(kept.turned), T, D);
  arena.product(q, row, 1, turned, T, w, T, T, D, T);
  causalSoftmax(kept.weights, weights, T, 1 / Math.sqrt(D));
  arena.product(w, T, 1, v, row, arena.at(kept.mixed) + mixed, C, T, T, D);
}

// Rows of scores to weights, in place: a token sees itself and what is before it.
function causalSoftmax(scores, from, T, scale) {
  for (let t = 0; t < T; t++) {
    const o = from + t * T;
    let most = scores[o];
    for (let s = 1; s <= t; s++) if (scores[o + s] > most) most = scores[o + s];
    let sum = 0;
    for (let s = 0; s <= t; s++)
      sum += scores[o + s] = Math.exp((scores[o + s] - most) * scale);
    for (let s = 0; s <= t; s++) scores[o + s] /= sum;
    for (let s = t + 1; s < T; s++) scores[o + s] = 0;
  }
}

// dx is written; d (B T, C) is the gradient of attention's result.
export function attentionBackward(arena, params, grads, d, x, kept, dx, sizes) {
  const { B, T, H } = sizes;
  linearBackward(arena, params.project, grads.project, d, kept.mixed, kept.dMixed, B * T);
  for (let i = 0; i < B * H; i++) headBackward(arena, kept, i, sizes);
  linearBackward(arena, params.qkv, grads.qkv, kept.dQkv, x, dx, B * T);
}

function headBackward(arena, kept, i, sizes) {
  const { T, C } = sizes;
  const { D, q, k, v, mixed, weights, row } = places(arena, kept, i, sizes);
  const to = arena.at(kept.dQkv) - arena.at(kept.qkv); // from q, k, v to their gradients
  const [w, dw] = [arena.at(kept.weights) + weights, arena.at(kept.dWeights)];
  const dm = arena.at(kept.dMixed) + mixed;
  const turned = arena.turned(v, row, arena.at(kept.turned), T, D);
  arena.product(dm, C, 1, turned, T, dw, T, T, D, T); // d_heads v^T
  softmaxBackward(kept.dWeights, kept.weights, weights, T, 1 / Math.sqrt(D));
  arena.product(dw, T, 1, k, row, q + to, row, T, T, D); // dq = d_scores k
  arena.product(dw, 1, T, q, row, k + to, row, T, T, D); // dk = d_scores^T q
  arena.product(w, 1, T, dm, C, v + to, row, T, T, D); // dv = weights^T d_heads
}

// Gradients of weights to those of scores, in place; where the mask hid a score, both are 0.
function softmaxBackward(d, weights, from, T, scale) {
  for (let t = 0; t < T; t++) {
    const o = t * T;
    let mean = 0;
    for (let s = 0; s <= t; s++) mean += d[o + s] * weights[from + o + s];
    for (let s = 0; s <= t; s++) d[o + s] = weights[from + o + s] * (d[o + s] - mean) * scale;
    for (let s = t + 1; s < T; s++) d[o + s] = 0;
  }
}
