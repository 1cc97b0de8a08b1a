// A model's weights from the bytes that gpt1course/viz/engine/pack.py wrote.

import { halfOf } from "./numbers.js";

let halves = null;

// header: [{ name, shape, bits, at }], at in bytes; returns name -> Float32Array.
export function unpack(header, buffer) {
  const read = { 8: fromBytes, 16: fromHalves, 32: fromFloats };
  return Object.fromEntries(
    header.map(({ name, shape, bits, at }) => [name, read[bits](buffer, at, shape)]),
  );
}

// A scale for each row, then the rows in steps of it.
function fromBytes(buffer, at, [rows, width]) {
  const scales = new Float32Array(buffer, at, rows);
  const steps = new Int8Array(buffer, at + 4 * rows, rows * width);
  const values = new Float32Array(steps.length);
  for (let row = 0, i = 0; row < rows; row++) {
    for (const end = i + width; i < end; i++) values[i] = steps[i] * scales[row];
  }
  return values;
}

function fromFloats(buffer, at, shape) {
  return new Float32Array(buffer, at, size(shape)).slice();
}

// Each of the 65,536 that there are is computed once.
function fromHalves(buffer, at, shape) {
  halves ??= Float32Array.from({ length: 65536 }, (_, bits) => halfOf(bits));
  const bits = new Uint16Array(buffer, at, size(shape));
  const values = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) values[i] = halves[bits[i]];
  return values;
}

function size(shape) {
  return shape.reduce((a, b) => a * b, 1);
}
