// A GPT-1 that learns: states, loss, and the gradients of all parameters.
//
// The letters of gpt1lib/numpy_gpt.py: B sequences, T tokens, C n_embd, H heads, V vocabulary.

import { attention, attentionBackward } from "./attention.js";
import {
  gelu,
  geluBackward,
  layerNorm,
  layerNormBackward,
  linear,
  linearBackward,
} from "./layers.js";
import { beginAsGPT, blockOf, padded, shapesOf } from "./params.js";
import { TiedModel } from "./tied.js";

export class Learner extends TiedModel {
  // batch: the most sequences of an update; options: of the arena.
  constructor(config, batch, options = {}) {
    checkConfig(config);
    super(config, shapesOf(config), keptSize(config, batch), options);
    for (const each of [this.params, this.grads]) {
      each.blocks = Array.from({ length: config.n_layer }, (_, i) => blockOf(each, i));
    }
    this.keep(batch);
  }

  begin(uniform) {
    beginAsGPT(this.params, uniform);
  }

  // Arrays for what the backward pass needs, of a whole batch.
  keep(batch) {
    const { n_layer, n_head: H, n_embd: C, n_ctx: T, n_vocab } = this.config;
    const n = batch * T;
    const take = size => this.arena.take(size);
    const norm = () => ({ z: take(n * C), inverse: take(n) });
    const shared = { turned: take(T * C), dMixed: take(n * C), dQkv: take(3 * n * C) };
    shared.dWeights = take(T * T);
    const attended = () => ({ ...shared, qkv: take(3 * n * C), mixed: take(n * C) });
    this.kept = Array.from({ length: n_layer }, () => ({
      attention: { ...attended(), weights: take(batch * H * T * T) },
      ...{ norm_1: norm(), norm_2: norm(), between: take(n * C) },
      ...{ wide: take(4 * n * C), tanh: take(4 * n * C), active: take(4 * n * C) },
    }));
    this.h = Array.from({ length: n_layer + 1 }, () => take(n * C));
    this.logits = take(n * padded(n_vocab));
    this.branch = take(n * C);
    this.d = [take(n * C), take(n * C)];
    this.dWide = take(4 * n * C);
    const turned = take(4 * C * Math.max(C, Math.ceil(padded(n_vocab) / 4)));
    for (const { attention: a, ...rest } of this.params.blocks) {
      for (const layer of [a.qkv, a.project, rest.expand, rest.shrink]) layer.turned = turned;
    }
    this.turned = turned;
  }

  // States after each block: h[0] of the embeddings, h.at(-1) of the last. ids: B rows of T.
  states(ids, B, T) {
    const { n_embd: C, n_head: H } = this.config;
    const sizes = { B, T, C, H };
    this.embed(ids, B, T);
    this.params.blocks.forEach((block, i) => {
      const [x, kept, next] = [this.h[i], this.kept[i], this.h[i + 1]];
      const { arena, branch } = this;
      const wide = part => part.subarray(0, 4 * B * T * C);
      attention(arena, block.attention, x, kept.attention, branch, sizes);
      layerNorm(block.ln_1, x, branch, kept.norm_1, kept.between, B * T);
      linear(arena, block.expand, kept.between, kept.wide, B * T);
      gelu(wide(kept.wide), wide(kept.tanh), wide(kept.active));
      linear(arena, block.shrink, kept.active, branch, B * T);
      layerNorm(block.ln_2, kept.between, branch, kept.norm_2, next, B * T);
    });
  }

  embed(ids, B, T) {
    const C = this.config.n_embd;
    const [tokens, positions] = [
      this.params.views["tokens.weight"],
      this.params.views["positions.weight"],
    ];
    for (let i = 0; i < B * T; i++) {
      const [from, place] = [ids[i] * C, (i % T) * C];
      for (let j = 0; j < C; j++)
        this.h[0][i * C + j] = tokens[from + j] + positions[place + j];
    }
  }

  // After `states` of one sequence of T: the weights of all heads (n_layer, H, T, T), 255 is 1.
  heads(T) {
    const n = this.config.n_head * T * T;
    const bytes = new Uint8Array(this.kept.length * n);
    this.kept.forEach(({ attention: { weights } }, i) => {
      for (let j = 0; j < n; j++) bytes[i * n + j] = 255 * weights[j] + 0.5;
    });
    return bytes;
  }

  // From the gradient of the last states to those of all parameters.
  statesBackward(last, ids, B, T) {
    let d = last;
    for (let i = this.config.n_layer - 1; i >= 0; i--) d = this.blockBackward(i, d, B, T);
    this.embedBackward(d, ids, B, T);
  }

  // At each sum the gradient takes both branches.
  blockBackward(i, d, B, T) {
    const { arena, config } = this;
    const [block, grads, kept] = [this.params.blocks[i], this.grads.blocks[i], this.kept[i]];
    const sizes = { B, T, C: config.n_embd, H: config.n_head };
    const n = B * T;
    const wide = part => part.subarray(0, 4 * n * config.n_embd);
    const other = d === this.d[0] ? this.d[1] : this.d[0];
    layerNormBackward(block.ln_2, grads.ln_2, d, kept.norm_2, n);
    linearBackward(arena, block.shrink, grads.shrink, d, kept.active, this.dWide, n);
    geluBackward(wide(this.dWide), wide(kept.wide), wide(kept.tanh));
    linearBackward(arena, block.expand, grads.expand, this.dWide, kept.between, other, n);
    addTo(other, d); // through the MLP and past it
    layerNormBackward(block.ln_1, grads.ln_1, other, kept.norm_1, n);
    attentionBackward(
      arena,
      block.attention,
      grads.attention,
      other,
      this.h[i],
      kept.attention,
      d,
      sizes,
    );
    addTo(d, other); // through the attention and past it
    return d;
  }

  // A token that stands twice collects twice.
  embedBackward(d, ids, B, T) {
    const C = this.config.n_embd;
    const [tokens, positions] = [
      this.grads.views["tokens.weight"],
      this.grads.views["positions.weight"],
    ];
    for (let i = 0; i < B * T; i++) {
      const [from, place] = [ids[i] * C, (i % T) * C];
      for (let j = 0; j < C; j++) {
        tokens[from + j] += d[i * C + j];
        positions[place + j] += d[i * C + j];
      }
    }
  }
}

function addTo(sum, more) {
  for (let i = 0; i < sum.length; i++) sum[i] += more[i];
}

function keptSize({ n_layer, n_head, n_embd: C, n_ctx: T, n_vocab }, batch) {
  const n = batch * T;
  const block = n * (19 * C + 2) + batch * n_head * T * T;
  const shared = n * (12 * C + padded(n_vocab)) + 2 * T * T + C * (n_vocab + 4 * C + T);
  return n_layer * (block + n * C) + shared + 4096;
}

function checkConfig({ n_embd, n_head, n_ctx }) {
  if (n_embd % (4 * n_head)) {
    throw new Error(`the width ${n_embd} is not a multiple of 4 for each of ${n_head} heads`);
  }
  if (n_ctx % 4) throw new Error(`the context ${n_ctx} is not a multiple of 4`);
}
