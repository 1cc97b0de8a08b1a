// The position embeddings as points: along the two directions in which they differ most.

const ROUNDS = 4; // of power iteration; the next picture goes on from this one's directions

export class MainDirections {
  constructor(T, C) {
    Object.assign(this, { T, C });
    const wave = shift => Float64Array.from({ length: C }, (_, j) => Math.sin(1 + j * shift));
    this.axes = [wave(1.3), wave(2.1)];
  }

  // [x, y] of each position, flat, and the share of their variance that these two have.
  of(table) {
    const { T, C } = this;
    const rows = centered(table, T, C);
    const total = rows.reduce((sum, x) => sum + x * x, 0);
    for (let round = 0; round < ROUNDS; round++) {
      this.axes.forEach((axis, k) => {
        const next = turnedBy(rows, axis, T, C);
        if (k) without(next, this.axes[0]);
        this.axes[k] = unit(next, axis);
      });
    }
    const points = new Float32Array(2 * T);
    for (let t = 0; t < T; t++) {
      this.axes.forEach((axis, k) => {
        for (let j = 0; j < C; j++) points[2 * t + k] += rows[t * C + j] * axis[j];
      });
    }
    const seen = points.reduce((sum, x) => sum + x * x, 0);
    return { points, share: total > 0 ? seen / total : 0 };
  }
}

function centered(table, T, C) {
  const rows = Float64Array.from(table.subarray(0, T * C));
  for (let j = 0; j < C; j++) {
    let mean = 0;
    for (let t = 0; t < T; t++) mean += rows[t * C + j] / T;
    for (let t = 0; t < T; t++) rows[t * C + j] -= mean;
  }
  return rows;
}

// X^T X v: one round of power iteration.
function turnedBy(rows, v, T, C) {
  const out = new Float64Array(C);
  for (let t = 0; t < T; t++) {
    let along = 0;
    for (let j = 0; j < C; j++) along += rows[t * C + j] * v[j];
    for (let j = 0; j < C; j++) out[j] += along * rows[t * C + j];
  }
  return out;
}

function without(v, axis) {
  const along = v.reduce((sum, x, j) => sum + x * axis[j], 0);
  for (let j = 0; j < v.length; j++) v[j] -= along * axis[j];
}

// v at length 1; the old axis where all rows are alike.
function unit(v, old) {
  const length = Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
  return length > 0 && Number.isFinite(length) ? v.map(x => x / length) : old;
}
