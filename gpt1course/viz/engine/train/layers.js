// The layers of a block and their gradients by hand, as in gpt1lib/numpy_gpt.py.
//
// Arrays are rows of states, n of them. `d` is the gradient of the loss with respect to a
// layer's result; gradients of parameters are added to what is there, those of inputs are
// written.

// y (n, out) = x W^T + b; turned: room for W^T.
export function linear(arena, { weight, bias, turned }, x, y, n) {
  const [N, K] = [bias.length, weight.length / bias.length];
  for (let i = 0; i < n; i++) y.set(bias, i * N);
  const w = arena.turned(arena.at(weight), K, arena.at(turned), N, K);
  arena.product(arena.at(x), K, 1, w, N, arena.at(y), N, n, K, N, 1);
}

// dx = d W; weight and bias are used at every position, so theirs sum over all of them.
export function linearBackward(arena, { weight, bias }, grads, d, x, dx, n) {
  const [N, K] = [bias.length, weight.length / bias.length];
  arena.product(arena.at(d), N, 1, arena.at(weight), K, arena.at(dx), K, n, N, K);
  arena.product(arena.at(d), 1, N, arena.at(x), K, arena.at(grads.weight), K, N, n, K, 1);
  addRows(d, grads.bias, n);
}

function addRows(rows, sums, n) {
  const N = sums.length;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < N; j++) sums[j] += rows[i * N + j];
  }
}

const SLOPE = Math.sqrt(2 / Math.PI);
const CUBIC = 0.044715; // GELU's tanh form, as in the released code

// tanh by one exp, which is faster than Math.tanh and as exact where numbers are float32.
export const tanh = x => 1 - 2 / (Math.exp(2 * x) + 1);

// y = GELU(x); t keeps the tanh for the way back.
export function gelu(x, t, y) {
  for (let i = 0; i < x.length; i++) {
    const v = x[i];
    t[i] = tanh(SLOPE * (v + CUBIC * v * v * v));
    y[i] = 0.5 * v * (1 + t[i]);
  }
}

// dx, in place of d: the product rule, and tanh' = 1 - tanh^2.
export function geluBackward(d, x, t) {
  for (let i = 0; i < x.length; i++) {
    const [v, h] = [x[i], t[i]];
    const inner = SLOPE * (1 + 3 * CUBIC * v * v);
    d[i] *= 0.5 * (1 + h + v * (1 - h * h) * inner);
  }
}

const EPS = 1e-5;

// y = LN(x + more): each state to mean 0 and variance 1, then gain and bias. kept: the states
// before the gain, and one over their standard deviations.
export function layerNorm({ weight, bias }, x, more, kept, y, n) {
  const C = weight.length;
  for (let i = 0; i < n; i++) {
    const o = i * C;
    let mean = 0;
    for (let j = 0; j < C; j++) mean += y[o + j] = x[o + j] + more[o + j];
    mean /= C;
    let variance = 0;
    for (let j = 0; j < C; j++) variance += (y[o + j] - mean) ** 2;
    const inverse = 1 / Math.sqrt(variance / C + EPS);
    kept.inverse[i] = inverse;
    for (let j = 0; j < C; j++) {
      const z = (y[o + j] - mean) * inverse;
      kept.z[o + j] = z;
      y[o + j] = z * weight[j] + bias[j];
    }
  }
}

// dx, in place of d: what would only shift or stretch a state is taken out again.
export function layerNormBackward({ weight }, grads, d, { z, inverse }, n) {
  const C = weight.length;
  for (let i = 0; i < n; i++) {
    const o = i * C;
    let [shift, stretch] = [0, 0];
    for (let j = 0; j < C; j++) {
      const [g, zj] = [d[o + j], z[o + j]];
      grads.weight[j] += g * zj;
      grads.bias[j] += g;
      shift += g * weight[j];
      stretch += g * weight[j] * zj;
    }
    for (let j = 0; j < C; j++) {
      const dz = d[o + j] * weight[j];
      d[o + j] = (dz - shift / C - (z[o + j] * stretch) / C) * inverse[i];
    }
  }
}
