// Byte-pair encoding, as gpt1lib/bpe.py has it: token ids of any text, and back.

import { characters, merge } from "./pieces.js";
import { splitWords, standardize } from "./text.js";

const END = "</w>";
const LONGEST = 10_000; // letters of a word: what has more is not a text
const NEWLINE = `\n${END}`;

function checkLength(n) {
  if (n <= LONGEST) return;
  const [has, most] = [n, LONGEST].map(letters => letters.toLocaleString("en"));
  throw new RangeError(
    `one word has ${has} letters, more than ${most}: is this a text, with spaces between its ` +
      "words?",
  );
}

export class BPE {
  // pieces: of ids 0, 1, 2 ...; merges: [left, right], first learned first.
  constructor(pieces, merges) {
    this.pieces = pieces;
    this.ids = new Map(pieces.map((piece, id) => [piece, id]));
    this.ranks = new Map(merges.map((pair, rank) => [pair.join(" "), rank]));
    this.known = new Map(); // ids of the chunks already met
  }

  get newline() {
    return this.idOf(NEWLINE);
  }

  idOf(piece) {
    return this.ids.get(piece) ?? this.ids.get("<unk>") ?? 0;
  }

  // Of the pairs that stand side by side the one learned first: [rank, left, right]; null
  // where none was learned.
  earliest(symbols) {
    let best = null;
    for (let i = 0; i + 1 < symbols.length; i++) {
      const rank = this.ranks.get(`${symbols[i]} ${symbols[i + 1]}`);
      if (rank < (best?.[0] ?? Number.POSITIVE_INFINITY)) {
        best = [rank, symbols[i], symbols[i + 1]];
      }
    }
    return best;
  }

  // The pieces of one word: the earliest-learned merge until none fits.
  cut(word) {
    let symbols = characters(word);
    checkLength(symbols.length);
    for (;;) {
      const best = this.earliest(symbols);
      if (!best) return symbols;
      symbols = merge(symbols, best[1], best[2]);
    }
  }

  // The merges that words need, in the order in which they were learned: [left, right, rank].
  mergeSteps(words) {
    let all = words.map(characters);
    const steps = [];
    for (;;) {
      const found = all.map(symbols => this.earliest(symbols)).filter(Boolean);
      if (!found.length) return steps;
      const [rank, left, right] = found.reduce((a, b) => (b[0] < a[0] ? b : a));
      steps.push([left, right, rank]);
      all = all.map(symbols => merge(symbols, left, right));
    }
  }

  // The words of a text, in lower case, without the ends of its lines.
  wordsOf(raw) {
    const words = splitWords(standardize(raw)).filter(word => !word.includes("\n"));
    return words.map(word => word.toLowerCase());
  }

  // The pieces of a text that the vocabulary lacks, as a reader sees them.
  unknown(raw) {
    const pieces = this.wordsOf(raw).flatMap(word => this.cut(word));
    return pieces.filter(piece => !this.ids.has(piece)).map(piece => piece.replace(END, ""));
  }

  encodeWord(word) {
    if (word.includes("\n")) return [this.newline];
    return this.cut(word.toLowerCase()).map(piece => this.idOf(piece));
  }

  encodeChunk(chunk) {
    let ids = this.known.get(chunk);
    if (!ids) {
      ids = splitWords(chunk).flatMap(word => this.encodeWord(word));
      this.known.set(chunk, ids);
    }
    return ids;
  }

  encode(raw) {
    return standardize(raw)
      .split(" ")
      .flatMap(chunk => this.encodeChunk(chunk));
  }

  decode(ids) {
    const joined = ids
      .map(id => this.pieces[id])
      .join("")
      .replaceAll(END, " ");
    return joined.replaceAll(" \n ", "\n").replaceAll("\n ", "\n").replace(/ +$/, "");
  }
}
