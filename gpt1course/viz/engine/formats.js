// The four input transformations, as gpt1lib/inputs.py has them: every task becomes
// sequences with [start], [delim] and [extract], three ids after the vocabulary.

// The ids of one text, cut on the right to `room` tokens.
function segment(bpe, text, room, what) {
  const ids = bpe.encode(text);
  if (!ids.length) throw new RangeError(`the ${what} is empty`);
  return ids.slice(0, room);
}

function twoSegments(bpe, first, second, n_ctx) {
  const [start, delimiter, extract] = specialsAfter(bpe);
  const room = Math.floor(n_ctx / 2) - 2;
  const a = segment(bpe, first, room, "first segment");
  return [start, ...a, delimiter, ...segment(bpe, second, room, "second segment"), extract];
}

export function specialsAfter(bpe) {
  return [0, 1, 2].map(i => bpe.pieces.length + i);
}

// The token sequences of one example.
export function toSequences(bpe, kind, [first, ...rest], n_ctx) {
  if (kind === "classification") {
    const [start, , extract] = specialsAfter(bpe);
    return [[start, ...segment(bpe, first, n_ctx - 2, "text"), extract]];
  }
  const one = twoSegments(bpe, first, rest[0], n_ctx);
  if (kind === "entailment") return [one];
  if (kind === "similarity") return [one, twoSegments(bpe, rest[0], first, n_ctx)];
  return rest.map(choice => twoSegments(bpe, first, choice, n_ctx));
}

// What fine-tuning adds, of each kind: the rows of the three special tokens, W_y (n_out, C) and
// its bias, one after the other in `numbers` (task_layers.py).
export function layersOf(numbers, described, C) {
  let at = 0;
  const take = n => {
    at += n;
    return numbers.subarray(at - n, at);
  };
  const read = ([kind, { n_out }]) => {
    return [kind, { specials: take(3 * C), weight: take(n_out * C), bias: take(n_out) }];
  };
  return Object.fromEntries(Object.entries(described).map(read));
}

// The scores of the classes, and the states (C,) to look at: the last of each row, and their
// sum where that is what is read.
export function readStates(kind, last, layer) {
  const sum = () => last[0].map((v, c) => v + last[1][c]);
  const read = kind === "similarity" ? [sum()] : last;
  const scores = read.flatMap(state => linear(layer, state));
  return { scores, states: kind === "similarity" ? [...last, ...read] : last };
}

function linear({ weight, bias }, state) {
  return Array.from(bias, (b, i) =>
    state.reduce((sum, v, c) => sum + v * weight[i * state.length + c], b),
  );
}
