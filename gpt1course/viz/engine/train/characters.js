// A pasted text as tokens: its characters, the most frequent first; and three levels of loss
// that need no model.

export const LIMITS = { fewest: 200, most: 200_000, characters: 160 };
export const RARE = "\ufffd"; // stands for all characters beyond the limit

// Characters by frequency, of equals the lower code point first.
export function charactersOf(text) {
  const counts = new Map();
  for (const c of text) counts.set(c, (counts.get(c) ?? 0) + 1);
  const order = ([a, n], [b, m]) => m - n || a.codePointAt(0) - b.codePointAt(0);
  const all = [...counts].sort(order).map(([c]) => c);
  if (all.length <= LIMITS.characters) return all;
  return [...all.filter(c => c !== RARE).slice(0, LIMITS.characters - 1), RARE];
}

// The token of each character.
export function encoded(text, characters) {
  const ids = new Map(characters.map((c, i) => [c, i]));
  const rare = ids.get(RARE) ?? 0;
  return Int32Array.from(text, c => ids.get(c) ?? rare);
}

// What is read of a pasted text: ends of lines are one character, and it ends at the limit.
export function readOf(text) {
  const all = [...text.replace(/\r\n?/g, "\n")];
  return { text: all.slice(0, LIMITS.most).join(""), n: all.length };
}

// { refused: why a text cannot be learned }, or { note: what is left out of it, "" if
// nothing }.
export function noticeOf(pasted, n_ctx) {
  const { text, n } = readOf(pasted);
  const different = new Set(text).size;
  const told = v => v.toLocaleString("en");
  if (n < Math.max(LIMITS.fewest, n_ctx + 1)) {
    const some = n === 0 ? "The text is empty" : `The text has ${told(n)} characters`;
    return { refused: `${some}, this page needs at least ${LIMITS.fewest}.` };
  }
  if (different === 1) {
    return {
      refused: "The text has only one character, over and over: nothing is left to guess.",
    };
  }
  const notes = [];
  if (n > LIMITS.most) {
    notes.push(`The text has ${told(n)} characters, the first ${told(LIMITS.most)} are read.`);
  }
  if (different > LIMITS.characters) {
    const kept = LIMITS.characters - 1;
    notes.push(
      `It has ${told(different)} different characters: the ${kept} most frequent are tokens, ` +
        "all others are one token, ▯.",
    );
  }
  return { note: notes.join(" ") };
}

// Nats per character: guessing evenly, by the letters' frequencies, and by the letter before.
export function levelsOf(ids, n_vocab) {
  const [single, pairs, before] = [new Map(), new Map(), new Map()];
  const add = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1);
  ids.forEach((id, i) => {
    add(single, id);
    if (i === 0) return;
    add(pairs, ids[i - 1] * n_vocab + id);
    add(before, ids[i - 1]);
  });
  const joint = entropy(pairs) - entropy(before); // H(next | before)
  return { uniform: Math.log(n_vocab), letters: entropy(single), pairs: joint };
}

function entropy(counts) {
  let [total, sum] = [0, 0];
  for (const n of counts.values()) {
    total += n;
    sum += n * Math.log(n);
  }
  return Math.log(total) - sum / total;
}

const WORD_LENGTH = 4; // shorter ones come about by chance

const wordsIn = text => text.toLowerCase().match(/\p{L}+/gu) ?? [];

export const longWords = text =>
  new Set(wordsIn(text).filter(word => [...word].length >= WORD_LENGTH));

// The words of what was written that the text has, too; its last one may be cut off.
export function realWords(written, words) {
  const whole = /\p{L}$/u.test(written) ? wordsIn(written).slice(0, -1) : wordsIn(written);
  return whole.filter(word => words.has(word));
}
