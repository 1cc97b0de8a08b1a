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
