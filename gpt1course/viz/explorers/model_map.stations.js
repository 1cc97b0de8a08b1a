// The stations of the model and of a block, in the order in which a token passes them.
//
// A station: name, note, tall (pixels), and for each token: numbers(t) it holds (or null),
// guess(t) = [piece, P] (or null), said(t), a sentence. deeper: where Enter leads, or null.
// from(t): whom its attention looks at, T weights, drawn in the room above it.

import { commas, lengthOf, named, percent, readable } from "./common.words.js";
import { timesOf } from "./factor.js";
import {
  paintAnswer,
  paintCrowd,
  paintName,
  paintToken,
  STRIP_TALL,
} from "./model_map.grid.js";
import {
  added,
  broughtBy,
  factorOf,
  incoming,
  isScaled,
  neuronsAt,
  part,
  rowOfTable,
  stateOf,
  sumRow,
  two,
  weightOf,
} from "./model_map.numbers.js";

export function modelStations(view) {
  const { L, V, ids, names } = view;
  return [
    {
      name: "token, id",
      tall: 34,
      gap: 0,
      paint: paintToken,
      said: t =>
        `“${readable(view.tokens[t])}” is token ${commas(ids[t])} of ${commas(V)}: ` +
        "this number is all that the model is told.",
    },
    ...tableStations(view),
    guessStation(view, 0, "sum", t => `“${names[t]}” goes into block 0 as the sum of two rows`),
    ...Array.from({ length: L }, (_, block) => ({
      ...guessStation(
        view,
        block + 1,
        `block ${block}`,
        t => `“${names[t]}” after block ${block}`,
      ),
      deeper: { zoom: "block", block },
      from: t => part(view.looks[block], t, view.T),
    })),
    {
      name: "logits",
      note: "state × Wₑᵀ",
      tall: 34,
      gap: 10,
      paint: paintCrowd,
      said: t => saidOfLogits(view, t),
    },
    { name: "softmax", tall: 38, gap: 6, paint: paintAnswer, said: t => saidOfAnswer(view, t) },
  ];
}

// The two rows that are added up: of the table of tokens, and of that of positions.
function tableStations(view) {
  const { C, ids } = view;
  const table = (i, name, of) => ({
    name,
    tall: STRIP_TALL,
    gap: i ? 5 : 8,
    numbers: t => rowOfTable(view, i, t),
    said: t => `${of(t)}: ${C} numbers.`,
  });
  return [
    table(0, "Wₑ row", t => `Row ${commas(ids[t])} of Wₑ, the table of tokens`),
    table(1, "+ Wₚ row", t => `Row ${t} of Wₚ, the table of positions`),
  ];
}

function guessStation(view, depth, name, where) {
  const { lens } = view;
  return {
    name,
    tall: 36 + STRIP_TALL,
    gap: depth ? 38 : 8,
    guess: t => lens[depth][t][0],
    was: t => view.whole[depth][t],
    numbers: t => (depth ? stateOf(view, depth - 1, "h", t) : sumRow(view, t)),
    said: t =>
      `${where(t)}. If the model ended here, it would guess ` +
      `${lens[depth][t].map(([piece, p]) => `“${named(piece)}” ${percent(p)}`).join(", ")}.`,
  };
}

function saidOfLogits({ words, names, crowd, V }, t) {
  const [piece, logit] = words[t][0];
  return (
    `The last state of “${names[t]}” times Wₑᵀ: ${commas(V)} logits, drawn as a crowd from ` +
    `${two(crowd.low)} to ${two(crowd.high)}. “${named(piece)}” has the largest, ${two(logit)}.`
  );
}

function saidOfAnswer(view, t) {
  const { words, names, factors } = view;
  const [[piece, , p, whole], second] = words[t];
  const before = isScaled(factors) ? ` (with all heads ${percent(whole)})` : "";
  return (
    `Softmax turns logits into probabilities: after “${names[t]}” comes “${named(piece)}” ` +
    `with ${percent(p)}${before}, then “${named(second[0])}” with ${percent(second[2])}.`
  );
}

export function blockStations(view) {
  const { block, H, D, C } = view;
  const state = kind => t => stateOf(view, block, kind, t);
  const plus = (one, two) => t => added(one(t), two(t));
  const x = t => incoming(view, block, t);
  const [attended, n, mlp] = ["attended", "n", "mlp"].map(state);
  const heads = Array.from({ length: H }, (_, head) => headStation(view, head));
  const wide = `The ${H} heads’ ${D} numbers side by side, times W_O: what attention adds to`;
  const norm = "The sum, brought to mean 0 and variance 1, then times a gain and plus a bias:";
  const row = rowOf(view);
  return [
    {
      name: "token",
      tall: 20,
      gap: 0,
      paint: paintName,
      said: t => `The column of “${view.names[t]}”.`,
    },
    { ...row("comes in", "x", x, `What comes into block ${block}:`), gap: 8 },
    ...heads,
    row("project", "a = heads · W_O", attended, wide),
    { ...row("sum", "x + a", plus(x, attended), "What came in plus what was added:"), past: 1 },
    row("LayerNorm", "n", n, norm),
    neuronStation(view),
    row("back", `m, ${C} again`, mlp, "What the neurons add to"),
    { ...row("sum", "n + m", plus(n, mlp), "Both added:"), past: H + 4 },
    row("LayerNorm", "h, goes out", state("h"), `What block ${block} makes of`),
  ];
}

// A row of strips: how many numbers, and how long each token's are.
const rowOf = view => (name, note, numbers, what) => ({
  name,
  note,
  tall: 22,
  gap: 14,
  numbers,
  said: t => {
    const values = numbers(t);
    const length = `${commas(values.length)} numbers of length ${lengthOf(values).toFixed(1)}`;
    return `${what} “${view.names[t]}”, ${length}.`;
  },
});

function headStation(view, head) {
  const { block, D, names, T } = view;
  const factor = factorOf(view, block, head);
  const off = !factor;
  const look = t => Array.from({ length: T }, (_, s) => weightOf(view, block, head, t, s));
  const said = t => {
    const weights = look(t);
    const best = weights.indexOf(Math.max(...weights));
    return off
      ? `Head ${head} is off: it brings ${D} zeros.`
      : `Head ${head} mixes values into ${D} numbers for “${names[t]}”: ` +
          `${percent(weights[best])} is the value of “${names[best]}”. Enter opens the head.`;
  };
  return {
    name: `head ${head}`,
    note: off ? "off" : factor < 1 ? timesOf(factor) : "",
    tall: 16,
    gap: 24,
    off,
    head,
    numbers: t => broughtBy(view, block, head, t),
    from: off ? null : look,
    said,
    deeper: { zoom: "head", head },
  };
}

function neuronStation(view) {
  const { block, C, names } = view;
  const numbers = t => neuronsAt(view, block, t);
  return {
    name: "neurons",
    note: `${commas(4 * C)}, GELU`,
    tall: 34,
    gap: 14,
    times: 10, // most are near 0: let those that fire stand out
    numbers,
    said: t => {
      const n = numbers(t).filter(v => v > 0).length;
      return `${commas(n)} of ${commas(4 * C)} neurons fire at “${names[t]}”.`;
    },
  };
}
