// A model with its tokenizer: what a page may ask of it.

import { BPE } from "./bpe.js";
import { layersOf, readStates, specialsAfter, toSequences } from "./formats.js";
import { beamSearch, drawn, greedy, logProbs } from "./generate.js";
import { GPT } from "./gpt.js";
import { journey, tying } from "./logit_lens.js";
import { mapOf } from "./map.js";
import { mt19937 } from "./mt19937.js";
import { inDigits } from "./numbers.js";
import { RECORDS } from "./records.js";
import { joined } from "./rows.js";
import { argmax, drawFrom, filtered, probsOf } from "./sample.js";
import { tidy } from "./text.js";
import { unpack } from "./weights.js";

const MOST_SIGNS = 20; // unknown ones that a notice lists

export class Session {
  // As gpt1course/viz/engine/pack.py wrote it. bytes: an ArrayBuffer; wasm: bytes, or null.
  // Without a config it is a tokenizer alone.
  constructor({ config, header, pieces, merges }, bytes, wasm) {
    this.bpe = new BPE(pieces, merges);
    if (!config) return;
    const tensors = unpack(header, bytes);
    this.model = new GPT(config, tensors, wasm);
    // the model with three more rows of W_e, at the start of fine-tuning
    this.withSpecials = rows => {
      const name = "tokens.weight";
      const larger = { ...tensors, [name]: joined([tensors[name], rows]) };
      return new GPT({ ...config, n_vocab: config.n_vocab + 3 }, larger, wasm);
    };
  }

  // What answers a view's question (records.js); changed: the names of what is asked anew.
  record(name, given, changed) {
    return RECORDS[name](this, given, changed);
  }

  // The pieces behind token ids 0, 1, 2 ...
  pieces() {
    return this.bpe.pieces;
  }

  // Token ids of a text: its last n_ctx, or a new line where there is none.
  ids(text) {
    const ids = this.bpe.encode(text);
    return ids.length ? ids.slice(-this.model.config.n_ctx) : [this.bpe.newline];
  }

  // Token ids of a text to look at, all of them; throws where it is empty or has too many.
  few(text, most) {
    const ids = this.bpe.encode(text);
    if (!ids.length) throw new RangeError("the text is empty");
    if (ids.length > most) {
      throw new RangeError(`the text has ${ids.length} tokens, this page shows ${most}`);
    }
    return ids;
  }

  // What a reader should know of a text: its unknown signs, and what is cut off (base.py).
  notice(text, most = Number.POSITIVE_INFINITY) {
    const unknown = [...new Set(this.bpe.unknown(text))];
    const said = [];
    if (unknown.length) {
      const more = unknown.length - MOST_SIGNS;
      const listed = unknown.slice(0, MOST_SIGNS).join(" ");
      const rest = more > 0 ? ` and ${more} more` : "";
      said.push(`Not in the vocabulary, read as <unk>: ${listed}${rest}.`);
    }
    const n = this.bpe.encode(text).length;
    if (n > most) said.push(`The model reads the last ${most} of ${n} tokens.`);
    return said.join(" ");
  }

  // Words, the merges that make their pieces, and the ids; throws for more than `most` signs.
  merges(text, most) {
    const n = [...text].length;
    if (n > most) throw new RangeError(`the text has ${n} characters, this page shows ${most}`);
    const words = this.bpe.wordsOf(text);
    const ids = words.map(word => this.bpe.encodeWord(word));
    return { words, merges: this.bpe.mergeSteps(words), ids };
  }

  // Pieces, and every state along the way with its n best guesses.
  journey(text, n, most) {
    const ids = this.few(text, most);
    const stages = journey(this.model, ids, n);
    for (const stage of stages) stage.top = stage.top.map(guesses => this.named(guesses));
    return { tokens: this.piecesOf(ids), stages };
  }

  // Rows of W_e of some pieces (those of the text, where none are given), the n rows nearest
  // to each, and how each fares as the next token after every place.
  tying(text, words, n, most) {
    const ids = this.few(text, most);
    const tokens = words.length ? words : this.piecesOf([...new Set(ids)]);
    const picked = tokens.map(piece => this.bpe.idOf(piece));
    const { neighbors, ...rest } = tying(this.model, ids, picked, n);
    const near = neighbors.map(pairs => this.named(pairs));
    return { tokens, places: this.piecesOf(ids), neighbors: near, ...rest };
  }

  piecesOf(ids) {
    return ids.map(id => this.bpe.pieces[id]);
  }

  // [id, number] as [piece, number].
  named(pairs) {
    return pairs.map(([id, number]) => [this.bpe.pieces[id], number]);
  }

  // Logits (V,) of what follows a text.
  next(text) {
    return this.model.forward(this.ids(text));
  }

  // Pieces, weights and scores of all heads, (L, H, T, T).
  attention(text, most) {
    const steps = {};
    const ids = this.few(text, most);
    this.model.forward(ids, { steps });
    const all = name => joined(steps.blocks.map(block => block[name]));
    return { pieces: this.piecesOf(ids), weights: all("weights"), scores: all("scores") };
  }

  // All that a map of the model draws (map.js); factors: { block * H + head: 0 to 1 }.
  map(text, most, factors = {}) {
    return mapOf(this.model, this.bpe.pieces, this.few(text, most), factors);
  }

  // Of each kind's texts: rows of [piece, segment, nats]; scores, probabilities and losses of
  // the classes; and all states that are shown (formats.py). numbers, described: of the layers.
  formats(texts, numbers, described) {
    const { n_embd: C, n_ctx } = this.model.config;
    const layers = layersOf(numbers, described, C);
    const [formats, states] = [{}, []];
    for (const [kind, layer] of Object.entries(layers)) {
      const model = this.withRows(layer.specials);
      const sequences = toSequences(this.bpe, kind, texts[kind], n_ctx);
      const read = sequences.map(ids => this.read(model, ids));
      const last = read.map(({ state }) => state);
      const found = readStates(kind, last, layer);
      const scores = found.scores.map(score => inDigits(score, 4));
      const probs = Array.from(probsOf(found.scores), p => inDigits(p, 9));
      const task = Array.from(logProbs(found.scores), log => inDigits(-log, 9));
      formats[kind] = { rows: read.map(({ row }) => row), scores, probs, task };
      states.push(...found.states);
    }
    return { formats, states: joined(states) };
  }

  // The model with these rows of W_e for the three special tokens.
  withRows(specials) {
    this.tasks ??= this.withSpecials(specials);
    this.tasks.tokens.set(specials, this.bpe.pieces.length * this.model.config.n_embd);
    return this.tasks;
  }

  // A sequence with special tokens: its last state, and as a row each token's piece, segment,
  // and loss but for the first.
  read(model, ids) {
    const specials = specialsAfter(this.bpe);
    const V = model.config.n_vocab;
    const logits = model.forward(ids, { all: true });
    const state = model.stateAt(ids.length - 1);
    let segment = 0;
    const row = ids.map((id, t) => {
      const name = ["[start]", "[delim]", "[extract]"][specials.indexOf(id)];
      segment += name ? 1 : 0;
      const nats = () => -logProbs(logits.subarray((t - 1) * V, t * V))[id];
      const loss = t ? inDigits(nats(), 4) : null;
      return [name ?? this.bpe.pieces[id], name ? "special" : `segment ${segment}`, loss];
    });
    return { row, state };
  }

  // Rows [name, mean log P, [[piece, P], ...]] of ways to go on, n tokens each.
  ways(text, { n, temperatures, n_beams, seed }) {
    const ids = this.bpe.encode(text).slice(-(this.model.config.n_ctx - n));
    const given = [this.model, ids.length ? ids : [this.bpe.newline], n];
    const rows = [
      ["greedy", greedy(...given)],
      [`${n_beams} beams`, beamSearch(...given, n_beams)],
      ...temperatures.map(t => [`T = ${t}`, drawn(...given, t, seed)]),
    ];
    return rows.map(([name, out]) => {
      const mean = out.reduce((sum, [, logProb]) => sum + logProb, 0) / n;
      const probs = out.map(([id, logProb]) => [id, inDigits(Math.exp(logProb), 4)]);
      return [name, inDigits(mean, 3), this.named(probs)];
    });
  }

  // n new tokens one by one, as { id, text }, all that is written so far. When the context
  // is full, the younger half of the text is read again from position 0: learned positions do
  // not shift along.
  *write(text, { n = 60, temperature = 0.8, top_k = 0, top_p = 1, seed = 0 } = {}) {
    const { n_ctx } = this.model.config;
    const random = mt19937(seed);
    let window = this.ids(text);
    let [fresh, cache] = [window, this.model.cache()];
    const written = [...window];
    for (let i = 0; i < n; i++) {
      if (window.length > n_ctx) {
        window = window.slice(-Math.max(1, Math.floor(n_ctx / 2)));
        [fresh, cache] = [window, this.model.cache()];
      }
      const logits = this.model.forward(fresh, { cache });
      const id = temperature
        ? drawFrom(filtered(probsOf(logits, temperature), { top_k, top_p }), random())
        : argmax(logits);
      fresh = [id];
      window = [...window, id];
      written.push(id);
      yield { id, text: tidy(this.bpe.decode(written)) };
    }
  }
}
