// The Mersenne Twister as torch.Generator has it: one seed draws the same numbers here and
// there (Matsumoto and Nishimura 1998; torch.rand in float64 takes 53 bits of two numbers).

const [SIZE, AHEAD] = [624, 397];

// Uniform numbers in [0, 1).
export function mt19937(seed) {
  const state = seeded(seed);
  let at = SIZE;
  const next = () => {
    if (at === SIZE) {
      turn(state);
      at = 0;
    }
    return tempered(state[at++]);
  };
  return () => {
    const high = next() & 0x1fffff;
    return (high * 2 ** 32 + next()) / 2 ** 53;
  };
}

function seeded(seed) {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let i = 1; i < SIZE; i++) {
    const before = state[i - 1];
    state[i] = Math.imul(1812433253, before ^ (before >>> 30)) + i;
  }
  return state;
}

// All numbers of the state anew, in place.
function turn(state) {
  for (let i = 0; i < SIZE; i++) {
    const mixed = (state[i] & 0x80000000) | (state[(i + 1) % SIZE] & 0x7fffffff);
    const odd = mixed & 1 ? 0x9908b0df : 0;
    state[i] = state[(i + AHEAD) % SIZE] ^ (mixed >>> 1) ^ odd;
  }
}

function tempered(number) {
  let y = number;
  y ^= y >>> 11;
  y ^= (y << 7) & 0x9d2c5680;
  y ^= (y << 15) & 0xefc60000;
  return (y ^ (y >>> 18)) >>> 0;
}
