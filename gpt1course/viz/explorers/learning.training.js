// A run that goes on while its view is drawn anew: the worker, and what it has told.

import { RARE } from "../engine/train/characters.js";
import { bytes } from "./common.traits.js";
import { commas, plural } from "./common.words.js";
import { curveOf, ENOUGH } from "./learning.beside.js";
import { saveFile } from "./learning.keep.js";
import { whyDiverged, whyStuck } from "./learning.trouble.js";

const TRAININGS = new WeakMap(); // of each root: a change of theme draws it anew
export const MARKS = [10, 100, 1000]; // updates at which a copy of what it writes is kept
export const LEVELS = {
  uniform: "guessing",
  letters: "letter frequencies",
  pairs: "letter pairs",
};
export const RATES = [-4, -3, -2, -1].flatMap(k =>
  [1, 2, 3, 5].map(m => +(m * 10 ** k).toPrecision(1)),
);
export const RATE = 3e-3; // at the beginning, and after one that was too high
const BUDGET = 60; // seconds of the challenge

class Training {
  constructor(model, root) {
    Object.assign(this, { model, root, draw: () => {}, tries: [], isRunning: false, round: 0 });
    this.settings = { model: "gpt", n_layer: 2, n_embd: 48, rate: RATE, seed: 0 };
    this.text = model.get("text");
    this.guess = 100; // where the flag is before it is moved
    this.hasGuessed = false;
    this.clear();
    root.addEventListener("gx-end", () => this.stop());
  }

  // What belongs to one run.
  clear() {
    const empty = { about: null, losses: [], stages: [], now: null, at: -1, crossed: {} };
    Object.assign(this, empty, {
      told: "",
      refused: "",
      seconds: 0,
      first: null,
      isOver: false,
    });
    Object.assign(this, { worst: 0, wasTried: false, hasDiverged: false, written: "" });
  }

  // From update 0: another text, another seed, other sizes.
  begin(change = {}) {
    this.noteTry();
    const isOther = change.model && change.model !== this.settings.model;
    if ("text" in change) this.earlier = null;
    else if (isOther && this.losses.length >= ENOUGH) this.earlier = curveOf(this);
    if ("text" in change) this.text = change.text;
    else Object.assign(this.settings, change);
    this.clear();
    this.isRunning = false;
    this.round++;
    const { text, settings } = this;
    this.send("begin", { text, settings, ...this.parts(this.round) });
    this.draw(true);
  }

  parts(round) {
    return { round, wasm: new Uint8Array(bytes(this.model, "wasm")) };
  }

  send(name, more = {}) {
    this.worker ??= this.started();
    this.worker?.postMessage({ name, ...more });
  }

  started() {
    try {
      const code = new Blob([this.model.get("worker")], { type: "text/javascript" });
      const worker = new Worker(URL.createObjectURL(code));
      worker.onmessage = ({ data }) => this.hear(data);
      worker.onerror = () => this.fail();
      return worker;
    } catch {
      this.fail();
      return null;
    }
  }

  fail() {
    this.refused = "This page may not start a worker, in which the model would learn.";
    this.draw();
  }

  // Its view was removed. A worker waits forever unless it is ended.
  stop() {
    this.worker?.terminate();
    Object.assign(this, { worker: null, isRunning: false });
  }

  run(isRunning) {
    Object.assign(this, { isRunning, at: -1, told: isRunning ? "" : this.told });
    this.send(isRunning ? "go" : "pause");
    this.draw(true);
  }

  setRate(rate) {
    this.settings.rate = rate;
    this.hasDiverged = false;
    this.send("rate", { rate });
  }

  // A character that its text lacks has no token, unless one token stands for all of those.
  write(prompt) {
    const characters = this.about?.characters;
    if (!characters) return;
    const unknown = [...prompt].find(c => !characters.includes(c));
    if (unknown && !characters.includes(RARE)) {
      this.told = `Its text has no “${unknown}”: it cannot go on from that.`;
      this.written = "";
      return this.draw(true);
    }
    this.told = "";
    this.send("write", { prompt, seed: this.settings.seed });
  }

  // A model of a file: to look at and to write with.
  load(saved, name) {
    this.fileName = name;
    this.send("load", { saved, ...this.parts(this.round + 1) });
  }

  takeLoaded({ text, settings, step }, round) {
    this.noteTry();
    this.clear();
    Object.assign(this, { text, round, earlier: null, isRunning: false, isOver: true });
    Object.assign(this.settings, { model: "gpt" }, settings); // older files name none
    const had = plural(step, "update");
    this.told = `A model that had learned for ${had}. Begin again trains a new one.`;
  }

  isNoModel(why) {
    this.told = `${this.fileName} is not a model of this page: ${why}.`;
    this.draw();
  }

  get step() {
    return this.now?.step ?? 0;
  }

  // The stage that is shown: one that was chosen, or what is newest.
  get shown() {
    return this.stages[this.at] ?? this.now;
  }

  get smooth() {
    return this.losses.at(-1)?.[2];
  }

  hear({ round, loaded, ...told }) {
    if (this.isRunning && !this.root.isConnected) this.run(false); // nobody sees it
    if (loaded) this.takeLoaded(loaded, round);
    if (round === this.round) this.take(told);
  }

  take({ about, frame, refused, trouble, ended, paused, kept, written, unread }) {
    if (refused) Object.assign(this, { refused, isRunning: false });
    if (about) {
      this.about = about;
      return; // its first picture comes next
    }
    if (frame) this.takeFrame(frame);
    if (trouble) this.takeTrouble(trouble);
    if (ended) this.end();
    if (unread) this.isNoModel(unread);
    if (paused && !this.isRunning) this.told = `Paused after ${plural(this.step, "update")}.`;
    if (kept) saveFile(kept);
    if (written != null) this.written = written;
    this.draw();
  }

  takeFrame(frame) {
    const before = this.smooth;
    for (const loss of frame.losses) this.note(loss);
    this.seconds = frame.seconds;
    if (frame.isStage) {
      this.stages.push(frame);
      this.noteWord(frame);
    }
    this.now = frame.isStage
      ? frame
      : { ...frame, text: this.now?.text, words: this.now?.words };
    if (before && frame.seconds >= BUDGET) this.noteTry();
  }

  takeTrouble(trouble) {
    this.hasDiverged = trouble.hasDiverged;
    this.told = trouble.hasDiverged ? whyDiverged(trouble) : whyStuck(trouble);
  }

  // One update's loss, and the level that it breaks through.
  note([step, loss, smooth]) {
    this.losses.push([step, loss, smooth]);
    if (Number.isFinite(loss)) this.worst = Math.max(this.worst, loss);
    for (const [key, name] of Object.entries(LEVELS)) {
      if (this.crossed[key] || !(smooth < this.about.levels[key])) continue;
      this.crossed[key] = step;
      if (key !== "uniform") this.told = `Below ${name} after ${plural(step, "update")}.`;
    }
  }

  noteWord({ step, words }) {
    if (this.first || !words.length || !this.losses.length) return;
    this.first = { step, word: words[0] };
    const off = this.hasGuessed ? ` You guessed ${commas(this.guess)}.` : "";
    const when = `after ${plural(step, "update")}`;
    this.told = `Its first real word, “${words[0]}”, ${when}.${off}`;
  }

  end() {
    Object.assign(this, { isRunning: false, isOver: true });
    this.told = `All ${commas(this.step)} updates are done.`;
    this.noteTry();
  }

  // A line of the table of what was tried: once a run, at 60 seconds or at its end.
  noteTry() {
    if (this.wasTried || !this.losses.length || this.step < 100) return;
    this.wasTried = true;
    const { model, n_layer, n_embd, rate, seed } = this.settings;
    const { parameters } = this.about;
    const seconds = Math.min(BUDGET, this.seconds);
    const numbers = { model, n_layer, n_embd, rate, seed, parameters, seconds };
    this.tries.push({ ...numbers, updates: this.step, loss: this.smooth });
  }
}

// Of this root: made when it is drawn for the first time.
export function trainingOf(model, root) {
  if (!TRAININGS.has(root)) TRAININGS.set(root, new Training(model, root));
  const training = TRAININGS.get(root);
  training.model = model;
  return training;
}
