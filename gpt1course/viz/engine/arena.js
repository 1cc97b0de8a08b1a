// Float32 numbers in one memory, where WebAssembly can reach them, and y = x W^T + b.

const PAGE = 65536; // bytes, WebAssembly's unit

export class Arena {
  // Room for so many numbers.
  constructor(size) {
    const initial = Math.ceil((4 * size) / PAGE) + 1;
    this.memory = globalThis.WebAssembly ? new WebAssembly.Memory({ initial }) : null;
    this.buffer = this.memory?.buffer ?? new ArrayBuffer(initial * PAGE);
    this.used = 16; // bytes; 0 stands for "no bias"
  }

  // The next n numbers, all 0.
  take(n) {
    const view = new Float32Array(this.buffer, this.used, n);
    this.used += Math.ceil(n / 4) * 16;
    return view;
  }
}

// A function (layer, x, T, y) that writes T rows; layer: { weight, bias, n_in, n_out }.
export function linearOf(arena, wasm) {
  const kernel = arena.memory && wasm && compiled(arena.memory, wasm);
  if (!kernel) return plainLinear;
  return (layer, x, T, y) => {
    const { weight, bias, n_in, n_out } = layer;
    if (n_in % 4 || n_out % 4) return plainLinear(layer, x, T, y); // the kernel reads fours
    const [w, b] = [weight.byteOffset, bias?.byteOffset ?? 0];
    kernel(x.byteOffset, w, b, y.byteOffset, T, n_in, n_out);
  };
}

// linear.wat's function; null where the browser has no SIMD.
function compiled(memory, wasm) {
  try {
    const module = new WebAssembly.Module(wasm);
    return new WebAssembly.Instance(module, { env: { memory } }).exports.linear;
  } catch {
    return null;
  }
}

export function plainLinear({ weight, bias, n_in, n_out }, x, T, y) {
  for (let n = 0; n < n_out; n++) {
    const row = weight.subarray(n * n_in, (n + 1) * n_in);
    for (let t = 0; t < T; t++) {
      const from = t * n_in;
      let sum = bias ? bias[n] : 0;
      for (let k = 0; k < n_in; k++) sum += x[from + k] * row[k];
      y[t * n_out + n] = sum;
    }
  }
}
