// A training run: windows drawn from a text, one update after the other.

import { mulberry } from "../numbers.js";
import { adamStep, warmupCosine } from "./adam.js";
import { LSTMLearner } from "./lstm.js";
import { Learner } from "./model.js";

export const MODELS = { gpt: Learner, lstm: LSTMLearner };
export const DEFAULTS = {
  model: "gpt",
  ...{ n_layer: 2, n_head: 4, n_embd: 48, n_ctx: 48 },
  ...{ batch: 16, rate: 3e-3, warmup: 50, total: 2000, seed: 0 },
};

export class Run {
  // ids: of the whole text; settings: DEFAULTS and n_vocab; options: of the TrainingArena.
  constructor(settings, ids, options) {
    this.settings = { ...DEFAULTS, ...settings };
    const { n_layer, n_head, n_embd, n_ctx, n_vocab, batch, seed } = this.settings;
    const config = { n_layer, n_head, n_embd, n_ctx, n_vocab };
    this.ids = ids;
    this.learner = new MODELS[this.settings.model](config, batch, options);
    this.learner.begin(mulberry(seed));
    this.random = mulberry(seed + 1);
    this.step = 0; // updates so far
    this.windows = new Int32Array(batch * n_ctx);
  }

  get isOver() {
    return this.step >= this.settings.total;
  }

  // The rate of the next update.
  get rate() {
    const { rate, warmup, total } = this.settings;
    return rate * warmupCosine(this.step, warmup, total);
  }

  // Windows that begin anywhere in the text.
  draw() {
    const { batch, n_ctx } = this.settings;
    for (let b = 0; b < batch; b++) {
      const from = Math.floor(this.random() * (this.ids.length - n_ctx + 1));
      this.windows.set(this.ids.subarray(from, from + n_ctx), b * n_ctx);
    }
    return this.windows;
  }

  // One update; returns the loss before it and the gradients' norm.
  update(windows = this.draw()) {
    const { batch, n_ctx } = this.settings;
    const loss = this.learner.backward(windows, batch, n_ctx);
    const norm = adamStep(this.learner, this.step + 1, this.rate);
    this.step++;
    return { loss, norm };
  }
}
