// The parameters of a model in one row; those of a GPT-1 with the names and the order of
// gpt1lib/numpy_gpt.py.

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

export const countOf = shapes => shapes.reduce((total, shape) => total + count(shape), 0);

// Zeros fill up the rows of the token table, and the columns of each matrix; nothing changes
// them, since their gradients are 0.
export const padded = n => Math.ceil(n / FOUR) * FOUR;

const stored = ([name, rows, columns]) => [
  name,
  name === "tokens.weight" ? padded(rows) : rows,
  columns && padded(columns),
];

// Numbers that `Params` takes, with the padding.
export const sizeOf = shapes =>
  shapes.reduce((total, shape) => total + padded(count(stored(shape))), 0);

// One array `flat`, and views of it by name; parameters, gradients and Adam's means alike.
export class Params {
  constructor(arena, shapes) {
    this.shapes = shapes;
    this.views = {};
    this.matrices = []; // [from, to] in flat: what decays
    const start = arena.used;
    for (const shape of shapes) {
      const [name, rows, columns] = shape;
      const from = arena.used - start;
      const view = arena.take(count(stored(shape)));
      this.views[name] = view.subarray(0, rows * (padded(columns) || 1));
      if (columns) this.matrices.push([from, arena.used - start]);
    }
    this.flat = arena.all.subarray(start, arena.used);
  }

  layer(name) {
    return { weight: this.views[`${name}.weight`], bias: this.views[`${name}.bias`] };
  }

  // name -> numbers without the padding, as an array each.
  load(arrays) {
    for (const shape of this.shapes) {
      const [name, rows, columns] = shape;
      const given = arrays[name];
      if (given?.length !== count(shape)) {
        throw new Error(`${name} has ${given?.length} numbers, it needs ${count(shape)}`);
      }
      const [n, step] = [columns || 1, padded(columns) || 1];
      for (let i = 0; i < rows; i++) {
        this.views[name].set(given.slice(i * n, (i + 1) * n), i * step);
      }
    }
  }

  // As `load` takes them.
  arrays() {
    const unpadded = ([name, , columns]) => {
      const step = padded(columns) || 1;
      return Array.from(this.views[name]).filter((_, i) => i % step < (columns || 1));
    };
    return Object.fromEntries(this.shapes.map(shape => [shape[0], unpadded(shape)]));
  }

  // Each number of a view by a function, the padding aside.
  draw(name, number) {
    const [, , columns] = this.shapes.find(([other]) => other === name);
    const [view, step] = [this.views[name], padded(columns) || 1];
    for (let i = 0; i < view.length; i++) if (i % step < (columns || 1)) view[i] = number();
  }
}

// The layers of a GPT-1's i-th block.
export function blockOf(params, i) {
  const layer = name => params.layer(`blocks.${i}.${name}`);
  const attention = { qkv: layer("attention.qkv"), project: layer("attention.project") };
  const [expand, shrink] = [layer("expand"), layer("shrink")];
  return { attention, expand, shrink, ln_1: layer("ln_1"), ln_2: layer("ln_2") };
}

// N(0, 0.02), biases 0, LayerNorm 1 and 0: as GPT-1 begins.
export function beginAsGPT(params, uniform) {
  const number = normal(uniform);
  for (const [name, , columns] of params.shapes) {
    params.views[name].fill(/ln_\d\.weight$/.test(name) ? 1 : 0);
    if (columns) params.draw(name, number);
  }
}

// Normal numbers of GPT-1's spread from uniform ones (Box and Muller 1958).
export function normal(uniform) {
  return () => {
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    return INIT_STD * (radius * Math.cos(2 * Math.PI * uniform()));
  };
}
