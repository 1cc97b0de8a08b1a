// States and rows of W_e read as next tokens: the journey of a text (journey.py), and what
// one matrix does for its tokens (tying.py).

import { inDigits } from "./numbers.js";
import { rowsOf } from "./rows.js";
import { argmax, largest, probsOf } from "./sample.js";

const STAGES = ["x + attention", "LayerNorm 1", "n + MLP", "LayerNorm 2"];

// Every state along the way, each read as if the model ended there; n guesses for each token.
export function journey(model, ids, n) {
  const steps = {};
  const V = model.config.n_vocab;
  const logits = model.forward(ids, { all: true, steps });
  const final = ids.map((_, t) => argmax(logits.subarray(t * V, (t + 1) * V)));
  return statesOf(steps).map(state => readState(model, state, final, n));
}

function statesOf({ h0, blocks }) {
  const states = [{ name: "embeddings", block: -1, h: h0 }];
  let x = h0;
  blocks.forEach(({ attended, n, mlp, h }, block) => {
    const along = [added(x, attended), n, added(n, mlp), h];
    along.forEach((h, i) => {
      states.push({ name: STAGES[i], block, h });
    });
    x = h;
  });
  return states;
}

const added = (a, b) => a.map((v, i) => v + b[i]);

// Shape, mean and standard deviation; [id, probability] of the n best guesses, and the rank
// of what the last state predicts.
function readState(model, { name, block, h }, final, n) {
  const { n_embd: C, n_vocab: V } = model.config;
  const logits = model.unembed(h);
  const spreads = rowsOf(h, C).map(spread);
  const rows = rowsOf(logits, V);
  return {
    name,
    block,
    shape: [final.length, C],
    mean: spreads.map(([mean]) => inDigits(mean, 3)),
    std: spreads.map(([, std]) => inDigits(std, 3)),
    top: rows.map(row => guesses(row, n)),
    rank: rows.map((row, t) => rankOf(row, row[final[t]])),
  };
}

function spread(values) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  return [mean, Math.sqrt(squares / values.length)];
}

function guesses(logits, n) {
  const probs = probsOf(logits);
  return largest(probs, n).map(id => [id, inDigits(probs[id], 4)]);
}

const rankOf = (values, value) => values.reduce((rank, v) => rank + (v > value), 1);

// ---- one matrix, two jobs

// The rows of W_e of picked tokens; [id, cosine] of the n rows nearest to each; [logit, rank]
// of each at every place of a text.
export function tying(model, ids, picked, n) {
  const { n_embd: C, n_vocab: V } = model.config;
  const row = id => model.tokens.subarray(id * C, (id + 1) * C);
  const logits = model.forward(ids, { all: true });
  const places = ids.map((_, t) => logits.subarray(t * V, (t + 1) * V));
  const unit = unitRows(model.tokens, C);
  const data = new Float32Array(picked.length * C);
  picked.forEach((id, i) => {
    data.set(row(id), i * C);
  });
  const win = (place, id) => [inDigits(place[id], 3), rankOf(place, place[id])];
  return {
    data,
    neighbors: picked.map(id => nearest(unit, C, id, n)),
    wins: picked.map(id => places.map(place => win(place, id))),
  };
}

function unitRows(rows, C) {
  const unit = rows.slice();
  for (let at = 0; at < unit.length; at += C) {
    const row = unit.subarray(at, at + C);
    const length = Math.sqrt(row.reduce((sum, v) => sum + v * v, 0));
    row.forEach((v, c) => {
      row[c] = v / length;
    });
  }
  return unit;
}

function nearest(unit, C, id, n) {
  const cosines = new Float32Array(unit.length / C);
  for (let other = 0; other < cosines.length; other++) {
    let sum = 0;
    for (let c = 0; c < C; c++) sum += unit[other * C + c] * unit[id * C + c];
    cosines[other] = sum;
  }
  const near = largest(cosines, n + 1).slice(1);
  return near.map(other => [other, inDigits(cosines[other], 4)]);
}
