// Float32 numbers in one memory, where WebAssembly can reach them, and y = x W^T + b.

const PAGE = 65536; // bytes, WebAssembly's unit

// At least so many bytes; memory: null where the browser has no WebAssembly.
export function memoryOf(n_bytes) {
  const initial = Math.ceil(n_bytes / PAGE) + 1;
  const memory = globalThis.WebAssembly ? new WebAssembly.Memory({ initial }) : null;
  return { memory, buffer: memory?.buffer ?? new ArrayBuffer(initial * PAGE) };
}

// The function of a compiled module that works in this memory; null where the browser has no
// SIMD.
export function kernelOf(memory, wasm, name) {
  try {
    const module = new WebAssembly.Module(wasm);
    return new WebAssembly.Instance(module, { env: { memory } }).exports[name];
  } catch {
    return null;
  }
}

export class Arena {
  // Room for so many numbers.
  constructor(size) {
    Object.assign(this, memoryOf(4 * size));
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
  const kernel = arena.memory && wasm && kernelOf(arena.memory, wasm, "linear");
  if (!kernel) return plainLinear;
  return (layer, x, T, y) => {
    const { weight, bias, n_in, n_out } = layer;
    if (n_in % 4 || n_out % 4) return plainLinear(layer, x, T, y); // the kernel reads fours
    const [w, b] = [weight.byteOffset, bias?.byteOffset ?? 0];
    kernel(x.byteOffset, w, b, y.byteOffset, T, n_in, n_out);
  };
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
