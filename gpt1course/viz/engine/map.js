// All that a map of the model draws: every step of one text, and what each state would
// guess if the model ended there. Names and layouts are those of explorers/model_map.py.

import { joined, rowsOf } from "./rows.js";
import { largest, probsOf } from "./sample.js";

const GUESSES = 3; // of a state
const SHOWN = 8; // next tokens
const BINS = 48; // of the histogram of logits
const STATES = ["mixed", "attended", "n", "mlp", "h"];

// factors: what the output of heads is multiplied by, { block * H + head: 0 to 1 }.
export function mapOf(model, pieces, ids, factors) {
  const now = stepsOf(model, ids, factors);
  const whole = Object.keys(factors).length ? stepsOf(model, ids, {}) : now;
  const all = name => joined(now.blocks.map(block => block[name]));
  return {
    tokens: ids.map(id => pieces[id]),
    ids,
    rows: joined([...tableRows(model, ids)]),
    states: joined(now.blocks.flatMap(block => STATES.map(name => block[name]))),
    neurons: all("neurons"),
    qkv: all("qkv"),
    scores: all("scores"),
    weights: all("weights"),
    lens: lensGuesses(model, pieces, now, GUESSES),
    whole: lensGuesses(model, pieces, whole, 1).map(row => row.map(([best]) => best)),
    words: nextWords(model, pieces, now.logits, whole.logits),
    crowd: crowd(now.logits, ids.length),
  };
}

function stepsOf(model, ids, factors) {
  const steps = {};
  const H = model.config.n_head;
  const named = ([i, factor]) => [`${Math.floor(i / H)}.${i % H}`, factor];
  const scaled = Object.fromEntries(Object.entries(factors).map(named));
  const logits = model.forward(ids, { all: true, steps, factors: scaled });
  return { ...steps, logits };
}

// The rows of W_e, then those of W_p.
function* tableRows({ config: { n_embd: C }, tokens, positions }, ids) {
  for (const id of ids) yield tokens.slice(id * C, (id + 1) * C);
  yield positions.slice(0, ids.length * C);
}

// The n likeliest next tokens of each state: (L + 1) x T x n pairs [piece, P].
function lensGuesses(model, pieces, { h0, blocks }, n) {
  return [h0, ...blocks.map(block => block.h)].map(states =>
    rowsOf(model.unembed(states), model.config.n_vocab).map(logits => {
      const probs = probsOf(logits);
      return largest(probs, n).map(id => [pieces[id], probs[id]]);
    }),
  );
}

// T rows of [piece, logit, P, P with all heads], the likeliest first.
function nextWords({ config: { n_vocab: V } }, pieces, now, whole) {
  const before = rowsOf(whole, V);
  return rowsOf(now, V).map((logits, t) => {
    const [probs, own] = [probsOf(logits), probsOf(before[t])];
    return largest(probs, SHOWN).map(id => [pieces[id], logits[id], probs[id], own[id]]);
  });
}

// How many logits of each token lie where, in equal steps from the lowest to the highest.
function crowd(logits, T) {
  const low = logits.reduce((a, b) => Math.min(a, b));
  const high = logits.reduce((a, b) => Math.max(a, b));
  const counts = rowsOf(logits, logits.length / T).map(row => {
    const bins = new Array(BINS).fill(0);
    for (const v of row) {
      bins[Math.min(BINS - 1, Math.floor((BINS * (v - low)) / (high - low)))]++;
    }
    return bins;
  });
  return { low, high, counts };
}
