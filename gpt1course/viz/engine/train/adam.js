// One update: clipping, Adam with bias correction, decoupled weight decay, the schedule.
// As gpt1lib/optim.py and NumpyAdam have it.

const ADAM = { beta1: 0.9, beta2: 0.999, eps: 1e-8, decay: 0.01, clip: 1 };

// Share of the peak rate: linear from 0, then cosine to 0, as in the released code.
export function warmupCosine(step, warmup, total) {
  if (step < warmup) return step / warmup;
  return 0.5 * (1 + Math.cos((Math.PI * Math.min(step, total)) / total));
}

function normOf(numbers) {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += numbers[i] * numbers[i];
  return Math.sqrt(sum);
}

// The t-th update (from 1) of a Learner's parameters, in place; returns the gradients' norm.
export function adamStep({ params, grads, m, v }, t, rate, settings = ADAM) {
  const { beta1, beta2, eps, decay, clip } = settings;
  const norm = normOf(grads.flat);
  const scale = Math.min(1, clip / (norm + 1e-6));
  for (const [from, to] of params.matrices) {
    for (let i = from; i < to; i++) params.flat[i] -= rate * decay * params.flat[i];
  }
  const [right1, right2] = [1 - beta1 ** t, 1 - beta2 ** t];
  const [p, g, mean, square] = [params.flat, grads.flat, m.flat, v.flat];
  for (let i = 0; i < p.length; i++) {
    const x = g[i] * scale;
    mean[i] = beta1 * mean[i] + (1 - beta1) * x;
    square[i] = beta2 * square[i] + (1 - beta2) * x * x;
    p[i] -= (rate * (mean[i] / right1)) / (Math.sqrt(square[i] / right2) + eps);
  }
  return norm;
}
