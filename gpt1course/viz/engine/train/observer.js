// What a page shows of a run: its losses, what it writes, its heads and its positions.

import { mulberry } from "../numbers.js";
import { drawFrom, probsOf } from "../sample.js";
import {
  charactersOf,
  encoded,
  levelsOf,
  longWords,
  noticeOf,
  readOf,
  realWords,
} from "./characters.js";
import { MainDirections } from "./positions.js";
import { DEFAULTS, Run } from "./run.js";

// Characters that it writes at a stage: fewer at first, where each update is one.
const WRITTEN = { first: 72, later: 216, from: 50 };
const TEMPERATURE = 0.8;
const SHOWN = 32; // characters that the heads are shown on
const APART = 1.15; // stages: each about so many times as far as the one before
const LOST = 0.5; // nats above the lowest loss: it has diverged
const STUCK = [300, 0.05]; // updates, and nats below letter frequencies: it is on the plateau

export class Observer {
  constructor(pasted, settings, wasm) {
    const given = { ...DEFAULTS, ...settings };
    const { refused, note } = noticeOf(pasted, given.n_ctx);
    if (refused) throw new Error(refused);
    const { text } = readOf(pasted);
    this.text = text;
    this.characters = charactersOf(text);
    const ids = encoded(text, this.characters);
    const n_vocab = this.characters.length;
    this.run = new Run({ ...given, n_vocab }, ids, { wasm });
    this.words = longWords(text);
    this.levels = levelsOf(ids, n_vocab);
    this.shown = ids.subarray(0, Math.min(SHOWN, given.n_ctx));
    this.directions = new MainDirections(given.n_ctx, given.n_embd);
    this.smooth = { sum: 0, weight: 0 };
    this.best = Number.POSITIVE_INFINITY;
    this.note = note;
    this.next = 0; // the step of the next stage
  }

  // What a page must know before the first update.
  about() {
    const { settings, learner } = this.run;
    const { n_layer, n_head } = settings;
    const shown = Array.from(this.shown, id => this.characters[id]);
    const { parameters, units } = learner;
    const kernel = Boolean(learner.arena.kernel);
    const { levels, note, characters } = this;
    const { model, n_ctx, total } = settings;
    const sizes = { model, n_layer, n_head, n_ctx, total, units };
    return { ...sizes, levels, note, characters, shown, parameters, kernel };
  }

  // One update; returns what is drawn of it.
  update() {
    const { loss, norm } = this.run.update();
    this.smooth.sum = 0.8 * this.smooth.sum + 0.2 * loss;
    this.smooth.weight = 0.8 * this.smooth.weight + 0.2;
    this.best = Math.min(this.best, this.smoothed);
    return { loss, norm, smooth: this.smoothed };
  }

  get smoothed() {
    return this.smooth.sum / this.smooth.weight;
  }

  // Whether the run has lost what it had learned.
  get hasDiverged() {
    return this.run.step > 0 && !(this.smoothed <= this.best + LOST);
  }

  // Whether it still knows nothing but how frequent each character is.
  get isStuck() {
    const [updates, nats] = STUCK;
    return this.run.step >= updates && this.smoothed > this.levels.letters - nats;
  }

  // What a file keeps of it: `restore` reads that.
  kept() {
    const { model, n_layer, n_head, n_embd, n_ctx, seed } = this.run.settings;
    const settings = { model, n_layer, n_head, n_embd, n_ctx, seed };
    const weights = this.run.learner.params.flat.slice();
    return { text: this.text, settings, step: this.run.step, weights };
  }

  restore(step, weights) {
    const { flat } = this.run.learner.params;
    if (weights.length !== flat.length) {
      throw new Error(`it has ${weights.length} weights, this model needs ${flat.length}`);
    }
    if (!weights.every(Number.isFinite)) throw new Error("some of its weights are not numbers");
    flat.set(weights);
    this.run.step = step;
  }

  // A stage is kept for the way back: the first ones, then further and further apart.
  get isStage() {
    return this.run.step >= this.next;
  }

  stage() {
    const { step } = this.run;
    this.next = Math.max(step + 1, Math.round(step * APART));
    for (const mark of [10, 100, 1000]) if (step < mark) this.next = Math.min(this.next, mark);
    const { first, later, from } = WRITTEN;
    const text = this.write("", step < from ? first : later);
    return { ...this.look(), text, words: realWords(text, this.words), isStage: true };
  }

  // The heads' weights on the first characters of the text, as bytes, and the positions. An
  // LSTM has neither.
  look() {
    const { learner, step, settings } = this.run;
    if (settings.model === "lstm") return { step };
    const { n_embd } = this.run.settings;
    const T = this.shown.length;
    learner.states(this.shown, 1, T);
    const heads = learner.heads(T);
    const table = learner.params.views["positions.weight"];
    const positions = this.directions.of(table, n_embd);
    return { step, heads, positions };
  }

  // How a text goes on, by the same random numbers each time.
  write(prompt, n, { temperature = TEMPERATURE, seed = 1 } = {}) {
    const random = mulberry(seed);
    const ids = Array.from(encoded(prompt, this.characters));
    const from = ids.length;
    if (!from) ids.push(0); // the most frequent character, mostly the space
    while (ids.length < from + n) {
      const logits = this.run.learner.next(ids);
      if (!Number.isFinite(logits[0])) break;
      ids.push(drawFrom(probsOf(logits, temperature), random()));
    }
    return ids
      .slice(from)
      .map(id => this.characters[id])
      .join("");
  }
}
