// The LSTM that the paper compares with, as in gpt1lib/baselines/lstm.py: one layer with as
// many units as it takes to match the parameters of a GPT-1, its state projected to n_embd
// numbers, and the token table as the output matrix.

import { linear, linearBackward } from "./layers.js";
import { cells, cellsBackward } from "./lstm_cell.js";
import { countOf, normal, padded, shapesOf } from "./params.js";
import { TiedModel } from "./tied.js";

// The fewest units for which it has at least the parameters of a GPT-1 with this config.
export function matchingUnits(config) {
  const C = config.n_embd;
  const wanted = countOf(shapesOf(config)) - config.n_vocab * C;
  const each = 4 * (C + 2) + C; // 4 U^2 + each U + C = wanted
  return Math.ceil((Math.sqrt(each ** 2 + 16 * (wanted - C)) - each) / 8);
}

// With the names and the order of the library's.
function lstmShapesOf(config) {
  const [C, U] = [config.n_embd, matchingUnits(config)];
  return [
    ["tokens.weight", config.n_vocab, C],
    ["lstm.weight_ih_l0", 4 * U, C],
    ["lstm.weight_hh_l0", 4 * U, U],
    ["lstm.bias_ih_l0", 4 * U, 0],
    ["lstm.bias_hh_l0", 4 * U, 0],
    ["lstm_out.weight", C, U],
    ["lstm_out.bias", C, 0],
  ];
}

export class LSTMLearner extends TiedModel {
  // batch: the most sequences of an update; options: of the arena.
  constructor(config, batch, options = {}) {
    super(config, lstmShapesOf(config), lstmKeeps(config, batch), options);
    this.units = matchingUnits(config);
    for (const each of [this.params, this.grads]) Object.assign(each, layersOf(each));
    this.keep(batch);
  }

  // The token table as in GPT-1, all else as torch makes it: even in +-1 / sqrt(U).
  begin(uniform) {
    const most = 1 / Math.sqrt(this.units);
    const even = () => most * (2 * uniform() - 1);
    for (const [name] of this.params.shapes) {
      this.params.draw(name, name === "tokens.weight" ? normal(uniform) : even);
    }
  }

  // Arrays for what the backward pass needs, of a whole batch.
  keep(batch) {
    const { n_embd: C, n_ctx: T, n_vocab } = this.config;
    const [n, U, P] = [batch * T, this.units, padded(this.units)];
    const take = size => this.arena.take(size);
    const states = () => take(n * P);
    this.kept = { gates: take(n * 4 * U), cells: states(), tanhs: states(), states: states() };
    Object.assign(this.kept, { dStates: states(), dCells: states() });
    this.h = [take(n * C), take(n * C)]; // the embeddings, and the projected states
    this.d = [take(n * C), take(n * C)];
    this.logits = take(n * padded(n_vocab));
    this.bias = take(4 * U);
    this.turned = take(Math.max(4 * U * P, 4 * U * C, C * padded(n_vocab)));
    const { input, recurrent, output } = this.params;
    for (const layer of [input, recurrent, output]) layer.turned = this.turned;
  }

  sizes(B, T) {
    return { B, T, U: this.units, P: padded(this.units) };
  }

  // States of ids, B rows of T: h[0] of the embeddings, h.at(-1) of the projected states.
  states(ids, B, T) {
    const { arena, bias, kept, params } = this;
    const { input, recurrent, output } = params;
    const C = this.config.n_embd;
    const tokens = params.views["tokens.weight"];
    for (let i = 0; i < B * T; i++) {
      this.h[0].set(tokens.subarray(ids[i] * C, (ids[i] + 1) * C), i * C);
    }
    for (let j = 0; j < bias.length; j++) bias[j] = input.bias[j] + recurrent.bias[j];
    linear(arena, { ...input, bias }, this.h[0], kept.gates, B * T);
    cells(arena, recurrent, kept, this.sizes(B, T));
    linear(arena, output, kept.states, this.h[1], B * T);
  }

  // From the gradient of the projected states to those of all parameters.
  statesBackward(d, ids, B, T) {
    const { arena, grads, kept, params } = this;
    const [n, dx] = [B * T, this.d[1]];
    linearBackward(arena, params.output, grads.output, d, kept.states, kept.dStates, n);
    cellsBackward(arena, params.recurrent, grads.recurrent, kept, this.sizes(B, T));
    linearBackward(arena, params.input, grads.input, kept.gates, this.h[0], dx, n);
    grads.recurrent.bias.set(grads.input.bias); // the two are only ever added
    this.embedBackward(dx, ids, n);
  }

  // A token that stands twice collects twice.
  embedBackward(dx, ids, n) {
    const C = this.config.n_embd;
    const tokens = this.grads.views["tokens.weight"];
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < C; j++) tokens[ids[i] * C + j] += dx[i * C + j];
    }
  }
}

function layersOf({ views }) {
  const part = name => ({
    weight: views[`lstm.weight_${name}_l0`],
    bias: views[`lstm.bias_${name}_l0`],
  });
  const output = { weight: views["lstm_out.weight"], bias: views["lstm_out.bias"] };
  return { input: part("ih"), recurrent: part("hh"), output };
}

function lstmKeeps(config, batch) {
  const { n_embd: C, n_ctx: T, n_vocab } = config;
  const [n, P] = [batch * T, padded(matchingUnits(config))];
  const turned = Math.max(4 * P * P, 4 * P * C, C * padded(n_vocab));
  return n * (9 * P + 4 * C + padded(n_vocab)) + 4 * P + turned + 4096;
}
