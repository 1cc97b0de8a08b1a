// One memory for all arrays of a training run, and the one product that they need.
//
// Float32 with products.wat where the browser has WebAssembly with SIMD; Float64 in plain
// JavaScript for tests, where gradients are compared with numpy's.

import { kernelOf, memoryOf } from "../arena.js";

const LONGEST_SUM = 256; // rows of B that stay in the processor's first cache

export class TrainingArena {
  // Room for so many numbers; wasm: the bytes of products.wasm; exact: in float64.
  constructor(size, { wasm = null, exact = false } = {}) {
    this.Numbers = exact ? Float64Array : Float32Array;
    this.unit = this.Numbers.BYTES_PER_ELEMENT;
    const { memory, buffer } = memoryOf(this.unit * size);
    this.all = new this.Numbers(buffer);
    this.used = 0; // numbers
    this.kernel = memory && wasm && !exact ? kernelOf(memory, wasm, "product") : null;
  }

  // The next n numbers, all 0; each array begins at a multiple of 16 bytes.
  take(n) {
    const view = this.all.subarray(this.used, this.used + n);
    if (view.length < n) throw new RangeError(`${n} numbers do not fit into the arena`);
    this.used += Math.ceil(n / 4) * 4;
    return view;
  }

  // Where an array begins, in numbers; `product` and `turned` take such places.
  at(view) {
    return view.byteOffset / this.unit;
  }

  // C (M, N) = A (M, K) B (K, N), added to what is there where add is 1. A number of A is at
  // a + am * row + ak * column; rows of B and C are bk and cm numbers apart. With the kernel,
  // N is a multiple of 4.
  product(a, am, ak, b, bk, c, cm, M, K, N, add = 0) {
    for (let k = 0; k < K; k += LONGEST_SUM) {
      const part = Math.min(LONGEST_SUM, K - k);
      this.part(a + k * ak, am, ak, b + k * bk, bk, c, cm, M, part, N, add || k > 0);
    }
  }

  part(a, am, ak, b, bk, c, cm, M, K, N, add) {
    if (!this.kernel) return plainProduct(this.all, a, am, ak, b, bk, c, cm, M, K, N, add);
    this.kernel(4 * a, 4 * am, 4 * ak, 4 * b, 4 * bk, 4 * c, 4 * cm, M, K, N, add ? 1 : 0);
  }

  // A (M, N), its rows am numbers apart, written to b as its transpose (N, M).
  turned(a, am, b, M, N) {
    const { all } = this;
    for (let m = 0; m < M; m++) {
      for (let n = 0; n < N; n++) all[b + n * M + m] = all[a + m * am + n];
    }
    return b;
  }
}

function plainProduct(all, a, am, ak, b, bk, c, cm, M, K, N, add) {
  for (let m = 0; m < M; m++) {
    const row = c + m * cm;
    if (!add) all.fill(0, row, row + N);
    for (let k = 0; k < K; k++) {
      const [x, from] = [all[a + m * am + k * ak], b + k * bk];
      for (let n = 0; n < N; n++) all[row + n] += x * all[from + n];
    }
  }
}
