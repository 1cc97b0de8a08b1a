// Byte-pair encoding, as gpt1lib/bpe.py has it: token ids of any text, and back.

import { characters, merge } from "./pieces.js";
import { splitWords, standardize } from "./text.js";

const END = "</w>";
const NEWLINE = `\n${END}`;

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

  // The pieces of one word: the earliest-learned merge until none fits.
  cut(word) {
    let symbols = characters(word);
    for (;;) {
      let best = Number.POSITIVE_INFINITY;
      let at = 0;
      for (let i = 0; i + 1 < symbols.length; i++) {
        const rank = this.ranks.get(`${symbols[i]} ${symbols[i + 1]}`) ?? best;
        if (rank < best) [best, at] = [rank, i];
      }
      if (best === Number.POSITIVE_INFINITY) return symbols;
      symbols = merge(symbols, symbols[at], symbols[at + 1]);
    }
  }

  // The pieces of a text that the vocabulary lacks, as a reader sees them.
  unknown(raw) {
    const words = splitWords(standardize(raw)).filter(word => !word.includes("\n"));
    const pieces = words.flatMap(word => this.cut(word.toLowerCase()));
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
