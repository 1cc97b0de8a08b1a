// Numbers for the engine and for the pages' explorers: drawn by a seed, of 16 bits, rounded.

// A small seeded generator, uniform in [0, 1).
export function mulberry(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// float16: one sign bit, five of the exponent, ten of the fraction.
export function halfOf(bits) {
  const sign = bits >> 15 ? -1 : 1;
  const power = (bits >> 10) & 31;
  const part = bits & 1023;
  if (power === 31) return part ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (power ? (1 + part / 1024) * 2 ** (power - 15) : part * 2 ** -24);
}

// Python's round(value, n), but for halves.
export function inDigits(value, n) {
  return Math.round(value * 10 ** n) / 10 ** n;
}
