// The record that answers a view's question: its traits by name, as the view's Python gives
// them where no engine does. Each is given the session (session.js), the values of the traits
// that the view names, and the names of those that have changed.

function attention(session, { text, most, head }) {
  const { pieces: tokens, weights: data, scores } = session.attention(text, most);
  const row = tellingRow(data, head, tokens.length);
  const message = session.notice(text);
  return { tokens, data, scores: centered(scores, tokens.length), row, message };
}

function formats(session, { texts, added, layers }) {
  const { buffer, byteOffset, byteLength } = added;
  const numbers = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
  return { ...session.formats(texts, numbers, layers), message: "" };
}

function journey(session, { text, n, most }) {
  const read = session.journey(text, n, most);
  return { ...read, place: read.tokens.length - 1, message: session.notice(text) };
}

// Of another text, or of the one that is shown with its heads scaled otherwise.
function map(session, { text: typed, shown, factors, most, block, head, shape }, changed) {
  const isNew = changed.includes("text");
  const text = isNew ? typed : shown;
  const found = session.map(text, most, factors);
  const place = isNew ? lastLook(found, block * shape[1] + head) : {};
  return { ...found, ...place, shown: text, message: session.notice(text) };
}

function sampling(session, { text, n_ctx }) {
  return { data: session.next(text), message: session.notice(text, n_ctx) };
}

function tokens(session, { text, most, step }) {
  const read = session.merges(text, most);
  const message = read.words.length ? session.notice(text) : "Type a text.";
  return { ...read, step: Math.min(step, read.merges.length), message };
}

function twoTexts(session, { texts, most, fixed }) {
  const [one, two] = texts.map(text => session.attention(text, most));
  const pairs = paired(one.pieces, two.pieces);
  if (!pairs.length) throw new Error("the two texts have no word in common");
  return {
    tokens: [one.pieces, two.pieces],
    pairs,
    one: one.weights,
    two: two.weights,
    ...mostMoved(one, two, pairs, fixed),
    message: texts
      .map(text => session.notice(text))
      .filter(Boolean)
      .join(" "),
  };
}

function tying(session, { text, picked, n, most, tokens, chosen }) {
  const read = session.tying(text, picked, n, most);
  const at = Math.max(0, read.tokens.indexOf(tokens[chosen]));
  return { ...read, chosen: at, message: session.notice(text) };
}

function writing(session, { text, seed, n_tokens: n, n_beams, temperatures, n_ctx }) {
  const rows = session.ways(text, { n, temperatures, n_beams, seed });
  return { rows, message: session.notice(text, n_ctx - n) };
}

// Scores minus the largest of their row (attention.py, centered).
function centered(scores, T) {
  const lower = scores.slice();
  for (let at = 0; at < lower.length; at += T) {
    const top = Math.max(...lower.subarray(at, at + T));
    for (let k = at; k < at + T; k++) lower[k] -= top;
  }
  return lower;
}

// The row that gives most to one earlier token; the first token counts where there is no
// other (attention.py, telling_row).
function tellingRow(weights, head, T) {
  const at = (i, j) => weights[(head * T + i) * T + j];
  const most = from => {
    let best = { row: 0, weight: 0 };
    for (let i = from; i < T; i++) {
      for (let j = from; j < i; j++) {
        if (at(i, j) > best.weight) best = { row: i, weight: at(i, j) };
      }
    }
    return best;
  };
  const telling = most(1);
  return telling.weight ? telling.row : most(0).row;
}

// The last token, and whom it looks at most in the chosen head; the first one, at which heads
// look that have nothing to say, does not count (model_map.py, last_look).
function lastLook({ weights, ids: { length: T } }, at) {
  const row = weights.subarray((at * T + T - 1) * T, (at + 1) * T * T);
  let other = Math.min(1, T - 1);
  for (let s = 2; s < T; s++) if (row[s] > row[other]) other = s;
  return { place: T - 1, other };
}

// Places [i, j] that belong together: alike, or exchanged one by one (two_texts.py, paired).
function paired(one, two) {
  const blocks = [
    ...alike(one, two, 0, one.length, 0, two.length),
    [one.length, two.length, 0],
  ];
  const pairs = [];
  let [i, j] = [0, 0];
  for (const [a, b, n] of blocks) {
    if (a - i === b - j) for (; i < a; i++, j++) pairs.push([i, j]);
    for (let k = 0; k < n; k++) pairs.push([a + k, b + k]);
    [i, j] = [a + n, b + n];
  }
  return pairs;
}

// Runs [a, b, n] that both have: the longest, the first of several, then those on both sides.
function alike(one, two, a0, a1, b0, b1) {
  let [a, b, n] = [0, 0, 0];
  for (let i = a0; i < a1; i++) {
    for (let j = b0; j < b1; j++) {
      let k = 0;
      while (i + k < a1 && j + k < b1 && one[i + k] === two[j + k]) k++;
      if (k > n) [a, b, n] = [i, j, k];
    }
  }
  if (!n) return [];
  const before = alike(one, two, a0, a, b0, b);
  return [...before, [a, b, n], ...alike(one, two, a + n, a1, b + n, b1)];
}

// Head and row where one and the same word moves most of its weight.
function mostMoved(one, two, pairs, fixed) {
  const heads = one.weights.length / one.pieces.length ** 2;
  const asked = fixed < 0 ? [...Array(heads).keys()] : [fixed];
  let best = { head: asked[0], row: pairs[0][0], moves: -1 };
  for (const head of asked) {
    for (const [i, j] of pairs) {
      if (one.pieces[i] !== two.pieces[j]) continue;
      const moves = movement(one, two, pairs, head, i, j);
      if (moves > best.moves) best = { head, row: i, moves };
    }
  }
  return { head: best.head, row: best.row };
}

// The share of its weight that row i puts elsewhere as row j of the other text.
function movement(one, two, pairs, head, i, j) {
  const rowOf = ({ weights, pieces: { length: T } }, q) =>
    weights.subarray((head * T + q) * T, (head * T + q + 1) * T);
  const [a, b] = [rowOf(one, i), rowOf(two, j)];
  let [apart, common] = [0, 0];
  for (const [m, n] of pairs) {
    apart += Math.abs(a[m] - b[n]);
    common += a[m] + b[n];
  }
  return (apart + sumOf(a) + sumOf(b) - common) / 2;
}

const sumOf = values => values.reduce((a, b) => a + b, 0);

export const RECORDS = {
  attention,
  formats,
  journey,
  map,
  sampling,
  tokens,
  twoTexts,
  tying,
  writing,
};
