// The cell of an LSTM over all times, and its gradient.
//
// Rows are states, sequence after sequence, as everywhere; U units, in rows of P >= U numbers.
// A row of gates has 4 U, in torch's order: input, forget, candidate, output.

import { tanh } from "./layers.js";

const sigmoid = x => 1 / (1 + Math.exp(-x));

// kept: gates (B T, 4 U), which come with what the inputs give to them; cells, tanhs and
// states (B T, P). turned: W_hh^T.
export function cells(arena, recurrent, kept, { B, T, U, P }) {
  const w = arena.turned(arena.at(recurrent.weight), P, arena.at(recurrent.turned), 4 * U, P);
  const [gates, states] = [arena.at(kept.gates), arena.at(kept.states)];
  for (let t = 0; t < T; t++) {
    if (t) {
      const [from, to] = [states + (t - 1) * P, gates + t * 4 * U];
      arena.product(from, T * P, 1, w, 4 * U, to, T * 4 * U, B, U, 4 * U, 1);
    }
    for (let b = 0; b < B; b++) cell(kept, b * T + t, t > 0, U, P);
  }
}

// One state: gates through their nonlinearities, in place; then the cell, then the state.
function cell({ gates, cells, tanhs, states }, row, hasBefore, U, P) {
  const [z, o] = [row * 4 * U, row * P];
  for (let j = 0; j < U; j++) {
    const input = sigmoid(gates[z + j]);
    const forget = sigmoid(gates[z + U + j]);
    const candidate = tanh(gates[z + 2 * U + j]);
    const output = sigmoid(gates[z + 3 * U + j]);
    const before = hasBefore ? cells[o - P + j] : 0; // a window starts from zeros
    cells[o + j] = forget * before + input * candidate;
    tanhs[o + j] = tanh(cells[o + j]);
    states[o + j] = output * tanhs[o + j];
    gates[z + j] = input;
    gates[z + U + j] = forget;
    gates[z + 2 * U + j] = candidate;
    gates[z + 3 * U + j] = output;
  }
}

// kept.gates become their gradients, before the nonlinearities; dStates (B T, P) are given,
// and take in what comes back through time; dCells (B T, P) are scratch.
export function cellsBackward(arena, recurrent, grads, kept, { B, T, U, P }) {
  const { gates, states, dStates } = kept;
  const [dz, dh] = [arena.at(gates), arena.at(dStates)];
  const w = arena.at(recurrent.weight);
  for (let t = T - 1; t >= 0; t--) {
    for (let b = 0; b < B; b++) cellBackward(kept, b * T + t, t, T, U, P);
    if (t === 0) break;
    const [from, to] = [dz + t * 4 * U, dh + (t - 1) * P];
    arena.product(from, T * 4 * U, 1, w, P, to, T * P, B, 4 * U, P, 1);
  }
  const to = arena.at(grads.weight);
  for (let b = 0; b < B; b++) {
    const [after, before] = [dz + (b * T + 1) * 4 * U, arena.at(states) + b * T * P];
    arena.product(after, 1, 4 * U, before, P, to, P, 4 * U, T - 1, P, 1);
  }
}

// dCells of a row come from its state, and from the cell after it.
function cellBackward({ gates, cells, tanhs, dStates, dCells }, row, t, T, U, P) {
  const [z, o] = [row * 4 * U, row * P];
  for (let j = 0; j < U; j++) {
    const [input, forget] = [gates[z + j], gates[z + U + j]];
    const [candidate, output] = [gates[z + 2 * U + j], gates[z + 3 * U + j]];
    const later = t < T - 1 ? dCells[o + j] : 0; // left there by the next time
    const [d, th] = [dStates[o + j], tanhs[o + j]];
    const dc = later + d * output * (1 - th * th);
    const before = t ? cells[o - P + j] : 0;
    if (t) dCells[o - P + j] = dc * forget;
    gates[z + j] = dc * candidate * input * (1 - input);
    gates[z + U + j] = dc * before * forget * (1 - forget);
    gates[z + 2 * U + j] = dc * input * (1 - candidate * candidate);
    gates[z + 3 * U + j] = d * th * output * (1 - output);
  }
}
