// Learning BPE, merge by merge: the same as merge_race in merge.py.

import { characters, merge } from "../engine/pieces.js";
import { sum } from "./common.words.js";

export function countPairs(spelled, words) {
  const pairs = new Map();
  spelled.forEach((symbols, w) => {
    for (let i = 1; i < symbols.length; i++) {
      const key = `${symbols[i - 1]} ${symbols[i]}`;
      pairs.set(key, (pairs.get(key) ?? 0) + words[w][1]);
    }
  });
  return [...pairs].map(([key, n]) => [...key.split(" "), n]);
}

// The library's order: the larger count; of equal ones the first in the alphabet.
export function inTurn([left, right, n], [l, r, m]) {
  if (n !== m) return m - n;
  if (left !== l) return left < l ? -1 : 1;
  return right < r ? -1 : right > r ? 1 : 0;
}

const tokensLeft = (spelled, words) => sum(spelled.map((s, w) => s.length * words[w][1]));

// words: [word, count] of each; turns: [step, left, right] of each merge out of turn. Gives at
// most `most` merges, each [left, right, count], and the tokens that are left after each.
export function race(words, turns, most) {
  const outOfTurn = new Map(turns.map(([step, left, right]) => [step, [left, right]]));
  let spelled = words.map(([word]) => characters(word));
  const merges = [];
  const totals = [tokensLeft(spelled, words)];
  while (merges.length < most) {
    const pairs = countPairs(spelled, words);
    if (!pairs.length) break;
    const first = pairs.reduce((best, pair) => (inTurn(pair, best) < 0 ? pair : best));
    const [left, right] = outOfTurn.get(merges.length) ?? first;
    const chosen = pairs.find(([l, r]) => l === left && r === right);
    merges.push(chosen ?? [left, right, 0]);
    spelled = spelled.map(symbols => merge(symbols, left, right));
    totals.push(tokensLeft(spelled, words));
  }
  return { merges, totals };
}
