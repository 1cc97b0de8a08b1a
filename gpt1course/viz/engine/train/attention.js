// Masked multi-head self-attention and its gradient, as in gpt1lib/numpy_gpt.py.
//
// A head's q, k and v are columns of qkv (B T, 3 C), so that each product of a head is one
// product with longer steps from row to row.

import { linear, linearBackward } from "./layers.js";

// kept: qkv (B T, 3 C), weights (B, H, T, T), mixed (B T, C); y (B T, C).
export function attention(room, params, x, kept, y, sizes) {
  const { B, T, C, H } = sizes;
  linear(room, params.qkv, x, kept.qkv, B * T);
  for (let i = 0; i < B * H; i++) mixHead(room, kept, i, sizes);
  linear(room, params.project, kept.mixed, y, B * T);
  return C;
}

// Where the numbers of the i-th head of a batch begin.
function places(room, kept, i, { T, C, H }) {
  const D = C / H;
  const [b, h] = [Math.floor(i / H), i % H];
  const q = room.at(kept.qkv) + b * T * 3 * C + h * D;
  const mixed = b * T * C + h * D;
  return { D, q, k: q + C, v: q + 2 * C, mixed, weights: i * T * T, row: 3 * C };
}

function mixHead(room, kept, i, sizes) {
  const { T, C } = sizes;
  const { D, q, k, v, mixed, weights, row } = places(room, kept, i, sizes);
  const w = room.at(kept.weights) + weights;
  const turned = room.turned(k, row, room.at(kept.turned), T, D);
  room.product(q, row, 1, turned, T, w, T, T, D, T);
  causalSoftmax(kept.weights, weights, T, 1 / Math.sqrt(D));
  room.product(w, T, 1, v, row, room.at(kept.mixed) + mixed, C, T, T, D);
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
export function attentionBackward(room, params, grads, d, x, kept, dx, sizes) {
  const { B, T, H } = sizes;
  linearBackward(room, params.project, grads.project, d, kept.mixed, kept.dMixed, B * T);
  for (let i = 0; i < B * H; i++) headBackward(room, kept, i, sizes);
  linearBackward(room, params.qkv, grads.qkv, kept.dQkv, x, dx, B * T);
}

function headBackward(room, kept, i, sizes) {
  const { T, C } = sizes;
  const { D, q, k, v, mixed, weights, row } = places(room, kept, i, sizes);
  const to = room.at(kept.dQkv) - room.at(kept.qkv); // from q, k, v to their gradients
  const [w, dw] = [room.at(kept.weights) + weights, room.at(kept.dWeights)];
  const dm = room.at(kept.dMixed) + mixed;
  const turned = room.turned(v, row, room.at(kept.turned), T, D);
  room.product(dm, C, 1, turned, T, dw, T, T, D, T); // d_heads v^T
  softmaxBackward(kept.dWeights, kept.weights, weights, T, 1 / Math.sqrt(D));
  room.product(dw, T, 1, k, row, q + to, row, T, T, D); // dq = d_scores k
  room.product(dw, 1, T, q, row, k + to, row, T, T, D); // dk = d_scores^T q
  room.product(w, 1, T, dm, C, v + to, row, T, T, D); // dv = weights^T d_heads
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
