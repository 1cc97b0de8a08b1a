// Arrays whose rows lie one after the other.

// The rows of an array, as views on it.
export function rowsOf(values, width) {
  const n = values.length / width;
  return Array.from({ length: n }, (_, i) => values.subarray(i * width, (i + 1) * width));
}

// Arrays one after the other.
export function joined(arrays) {
  const all = new Float32Array(arrays.reduce((n, array) => n + array.length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}
