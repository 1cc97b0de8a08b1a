// Least squares through the logarithms of points [size, loss], and the interval of one more
// measurement: the same as power_law and prediction in gpt1course/statistics.py.
// t95: Student's t for 1, 2, 3 ... degrees of freedom.

import { sum } from "./common.words.js";

export function fitLine(points, t95) {
  const x = points.map(([n]) => Math.log(n));
  const y = points.map(([, nats]) => Math.log(nats));
  const n = x.length;
  const [mx, my] = [sum(x) / n, sum(y) / n];
  const sxx = sum(x.map(v => (v - mx) ** 2));
  const slope = sum(x.map((v, i) => (v - mx) * (y[i] - my))) / sxx;
  const off = x.map((v, i) => y[i] - my - slope * (v - mx));
  const std = Math.sqrt(sum(off.map(v => v * v)) / (n - 2));
  const at = size => {
    const far = Math.log(size) - mx;
    const middle = Math.exp(my + slope * far);
    const half = t95[n - 3] * std * Math.sqrt(1 + 1 / n + (far * far) / sxx);
    return [middle, middle * Math.exp(-half), middle * Math.exp(half)];
  };
  return { alpha: -slope, at };
}
