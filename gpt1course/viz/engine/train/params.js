// The parameters of a GPT-1 in one row, with the names and the order of gpt1lib/numpy_gpt.py.

import { mulberry } from "../numbers.js";

const INIT_STD = 0.02;
const FOUR = 4; // the kernel multiplies four numbers at a time

// [name, rows, columns] of each; columns 0: a bias or a gain.
export function shapesOf({ n_layer, n_embd: C, n_ctx, n_vocab }) {
  const layer = (name, out, n) => [
    [`${name}.weight`, out, n],
    [`${name}.bias`, out, 0],
  ];
  const block = i => [
    ...layer(`blocks.${i}.attention.qkv`, 3 * C, C),
    ...layer(`blocks.${i}.attention.project`, C, C),
    ...layer(`blocks.${i}.ln_1`, C, 0),
    ...layer(`blocks.${i}.expand`, 4 * C, C),
    ...layer(`blocks.${i}.shrink`, C, 4 * C),
    ...layer(`blocks.${i}.ln_2`, C, 0),
  ];
  const blocks = Array.from({ length: n_layer }, (_, i) => block(i)).flat();
  return [["tokens.weight", n_vocab, C], ["positions.weight", n_ctx, C], ...blocks];
}

const count = ([, rows, columns]) => rows * (columns || 1);

export function countOf(config) {
  return shapesOf(config).reduce((total, shape) => total + count(shape), 0);
}

// Rows of the token table with its padding: rows of zeros, which nothing changes.
export const padded = n_vocab => Math.ceil(n_vocab / FOUR) * FOUR;

// Numbers that `Params` takes, with the padding.
export function sizeOf(config) {
  const shapes = shapesOf({ ...config, n_vocab: padded(config.n_vocab) });
  return shapes.reduce((total, shape) => total + Math.ceil(count(shape) / FOUR) * FOUR, 0);
}

// One array `flat`, and views of it by name; parameters, gradients and Adam's means alike.
export class Params {
  constructor(arena, config) {
    this.config = config;
    this.views = {};
    this.matrices = []; // [from, to] in flat: what decays
    const start = arena.used;
    for (const [name, rows, columns] of shapesOf(config)) {
      const from = arena.used - start;
      const kept = name === "tokens.weight" ? padded(rows) : rows;
      this.views[name] = arena.take(kept * (columns || 1)).subarray(0, rows * (columns || 1));
      if (columns) this.matrices.push([from, arena.used - start]);
    }
    this.flat = arena.all.subarray(start, arena.used);
    this.blocks = Array.from({ length: config.n_layer }, (_, i) => this.block(i));
  }

  layer(name) {
    return { weight: this.views[`${name}.weight`], bias: this.views[`${name}.bias`] };
  }

  block(i) {
    const layer = name => this.layer(`blocks.${i}.${name}`);
    const attention = { qkv: layer("attention.qkv"), project: layer("attention.project") };
    const [expand, shrink] = [layer("expand"), layer("shrink")];
    return { attention, expand, shrink, ln_1: layer("ln_1"), ln_2: layer("ln_2") };
  }

  // N(0, 0.02), biases 0, LayerNorm 1 and 0: as GPT-1 begins.
  begin(seed) {
    const draw = normal(mulberry(seed));
    for (const [name, , columns] of shapesOf(this.config)) {
      const view = this.views[name];
      view.fill(/ln_\d\.weight$/.test(name) ? 1 : 0);
      for (let i = 0; columns && i < view.length; i++) view[i] = INIT_STD * draw();
    }
  }

  // name -> numbers, as an array each.
  load(arrays) {
    for (const [name, view] of Object.entries(this.views)) {
      if (arrays[name]?.length !== view.length) {
        throw new Error(`${name} has ${arrays[name]?.length} numbers, it needs ${view.length}`);
      }
      view.set(arrays[name]);
    }
  }
}

// Normal numbers from uniform ones (Box and Muller 1958).
function normal(uniform) {
  return () => {
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    return radius * Math.cos(2 * Math.PI * uniform());
  };
}
