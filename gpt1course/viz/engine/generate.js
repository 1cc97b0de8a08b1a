// Ways to go on after a text, as in gpt1lib/generate.py; each token with its log P.

import { mt19937 } from "./mt19937.js";
import { argmax, drawFrom, largest, probsOf } from "./sample.js";

// log P of every token, at temperature 1.
export function logProbs(logits) {
  const max = logits[argmax(logits)];
  let total = 0;
  for (let i = 0; i < logits.length; i++) total += Math.exp(logits[i] - max);
  const shift = max + Math.log(total);
  return new Float64Array(logits).map(logit => logit - shift);
}

// n tokens after ids, each chosen by pick(logits): [id, log P] of each.
export function continued(model, ids, n, pick) {
  const cache = model.cache();
  const out = [];
  for (let fresh = ids; out.length < n; fresh = [out.at(-1)[0]]) {
    const logits = model.forward(fresh, { cache });
    const id = pick(logits);
    out.push([id, logProbs(logits)[id]]);
  }
  return out;
}

export function greedy(model, ids, n) {
  return continued(model, ids, n, argmax);
}

// All temperatures draw with the same seed, and as torch draws.
export function drawn(model, ids, n, temperature, seed) {
  const random = mt19937(seed);
  return continued(model, ids, n, logits => drawFrom(probsOf(logits, temperature), random()));
}

// The likeliest of the texts that survive when `width` of them are kept at each step.
export function beamSearch(model, ids, n, width) {
  const cache = model.cache();
  let beams = [{ cache, logits: model.forward(ids, { cache }), sum: 0, out: [] }];
  for (let i = 0; i < n; i++) {
    const best = beams
      .flatMap(beam => extensions(beam, width))
      .sort((a, b) => b.sum - a.sum)
      .slice(0, width);
    beams = i < n - 1 ? best.map(beam => readOn(model, beam)) : best;
  }
  return beams[0].out;
}

// A text with each of its likeliest next tokens.
function extensions({ cache, logits, sum, out }, width) {
  const scores = logProbs(logits);
  return largest(scores, width).map(id => ({
    cache,
    sum: sum + scores[id],
    out: [...out, [id, scores[id]]],
  }));
}

// Its last token is read, into a cache of its own.
function readOn(model, { cache, sum, out }) {
  const own = {
    length: cache.length,
    keys: cache.keys.map(rows => rows.slice()),
    values: cache.values.map(rows => rows.slice()),
  };
  return { cache: own, sum, out, logits: model.forward([out.at(-1)[0]], { cache: own }) };
}
