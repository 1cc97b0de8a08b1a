// What the two models share: the token table as the output matrix, the loss, and one gradient
// after the other. A model adds `states` and `statesBackward`.

import { countOf, Params, padded, sizeOf } from "./params.js";
import { TrainingArena } from "./training_arena.js";

export class TiedModel {
  // shapes: of the parameters; kept: numbers for all else; options: of the arena.
  constructor(config, shapes, kept, options) {
    this.config = config;
    this.parameters = countOf(shapes);
    this.arena = new TrainingArena(4 * sizeOf(shapes) + kept, options);
    const make = () => new Params(this.arena, shapes);
    [this.params, this.grads, this.m, this.v] = [make(), make(), make(), make()];
  }

  // Logits of all states, one row of padded(V) each: the token table is the output matrix.
  read(n) {
    const { arena, config } = this;
    const [C, V] = [config.n_embd, padded(config.n_vocab)];
    const tokens = arena.at(this.params.views["tokens.weight"]);
    const w = arena.turned(tokens, C, arena.at(this.turned), V, C);
    arena.product(arena.at(this.h.at(-1)), C, 1, w, V, arena.at(this.logits), V, n, C, V);
  }

  // Mean loss over the T - 1 targets of each sequence. The logits become their gradients.
  loss(ids, B, T) {
    const V = this.config.n_vocab;
    const row = padded(V);
    const share = 1 / (B * (T - 1));
    let loss = 0;
    this.read(B * T);
    for (let i = 0; i < B * T; i++) {
      const logits = this.logits.subarray(i * row, (i + 1) * row);
      if (i % T === T - 1)
        logits.fill(0); // the last state has no target
      else loss += crossEntropy(logits, V, ids[i + 1], share);
    }
    return loss * share;
  }

  // Logits after the last of some tokens. One less of them is read than the context has: no
  // window has a target for its last state, so that this one has never learned to guess.
  next(given) {
    const { n_ctx, n_embd: C, n_vocab: V } = this.config;
    const ids = given.slice(1 - n_ctx);
    const T = Math.ceil(ids.length / 4) * 4; // what is behind the last token changes nothing
    this.states([...ids, ...Array(T - ids.length).fill(0)], 1, T);
    const last = this.h.at(-1).subarray((ids.length - 1) * C, ids.length * C);
    const tokens = this.params.views["tokens.weight"];
    const dot = v => last.reduce((sum, x, j) => sum + x * tokens[v * C + j], 0);
    return Float64Array.from({ length: V }, (_, v) => dot(v));
  }

  // Loss of ids (B, T), and in `grads` the gradients of all parameters.
  backward(ids, B, T) {
    this.states(ids, B, T);
    const loss = this.loss(ids, B, T);
    this.grads.flat.fill(0);
    const d = this.headBackward(B * T);
    this.statesBackward(d, ids, B, T);
    return loss;
  }

  // The gradient of the last states, and that of the token table as the output matrix.
  headBackward(n) {
    const { arena, config, params, grads } = this;
    const [C, V] = [config.n_embd, padded(config.n_vocab)];
    const [logits, d] = [arena.at(this.logits), this.d[0]];
    const at = of => arena.at(of.views["tokens.weight"]);
    arena.product(logits, V, 1, at(params), C, arena.at(d), C, n, V, C);
    arena.product(logits, 1, V, arena.at(this.h.at(-1)), C, at(grads), C, V, n, C, 1);
    return d;
  }
}

// -log p of the target; the V logits become (p - onehot) * share; those of the
// padding are 0, and stay 0.
function crossEntropy(logits, V, target, share) {
  let most = Number.NEGATIVE_INFINITY;
  for (let v = 0; v < V; v++) if (logits[v] > most) most = logits[v];
  const chosen = logits[target] - most;
  let sum = 0;
  for (let v = 0; v < V; v++) sum += logits[v] = Math.exp(logits[v] - most);
  for (let v = 0; v < V; v++) logits[v] *= share / sum;
  logits[target] -= share;
  return Math.log(sum) - chosen;
}
