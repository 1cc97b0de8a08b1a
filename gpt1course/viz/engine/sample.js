// From logits to a token, as gpt1lib/generate.py: temperature, then top-k, then top-p.

// Token ids, the likeliest first; of equals the lower id.
export function ranked(probs) {
  return Uint32Array.from(probs.keys()).sort((a, b) => probs[b] - probs[a] || a - b);
}

// Ids of the n largest values, the largest first; of equals the lower id.
export function largest(values, n) {
  const best = [];
  for (let i = 0; i < values.length; i++) {
    if (best.length === n && values[i] <= values[best[n - 1]]) continue;
    let at = best.length;
    while (at && values[best[at - 1]] < values[i]) at--;
    best.splice(at, 0, i);
    if (best.length > n) best.pop();
  }
  return best;
}

export function argmax(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

// Probabilities of logits; temperature 0 puts all on the largest.
export function probsOf(logits, temperature = 1) {
  const probs = new Float64Array(logits.length);
  const best = argmax(logits);
  if (temperature === 0) {
    probs[best] = 1;
    return probs;
  }
  let sum = 0;
  logits.forEach((logit, i) => {
    sum += probs[i] = Math.exp((logit - logits[best]) / temperature);
  });
  return probs.map(p => p / sum);
}

// Token ids that top-k and top-p keep, the likeliest first. top_k 0 and top_p 1 keep all.
export function nucleus(probs, { top_k = 0, top_p = 1 } = {}) {
  const order = ranked(probs);
  const kept = order.subarray(0, top_k || order.length);
  if (top_p === 1) return kept;
  const total = sumOf(kept, probs);
  let [mass, n] = [0, 0];
  while (n < kept.length && mass < top_p) mass += probs[kept[n++]] / total;
  return kept.subarray(0, Math.max(1, n));
}

// What top-k and top-p keep, as a distribution again.
export function filtered(probs, { top_k = 0, top_p = 1 } = {}) {
  if (!top_k && top_p === 1) return probs;
  const kept = nucleus(probs, { top_k, top_p });
  const left = sumOf(kept, probs);
  const out = new Float64Array(probs.length);
  for (const id of kept) out[id] = probs[id] / left;
  return out;
}

function sumOf(ids, probs) {
  return ids.reduce((sum, id) => sum + probs[id], 0);
}

// A token drawn with u, a random number in [0, 1), by inverting the sum.
export function drawFrom(probs, u) {
  let mass = 0;
  for (let id = 0; id < probs.length; id++) {
    mass += probs[id];
    if (u < mass) return id;
  }
  return ranked(probs)[0]; // rounding left the sum below u
}
