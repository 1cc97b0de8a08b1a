// GPT-1's forward pass, with the names of gpt1lib/model.py: embeddings, causal attention,
// post-LayerNorm blocks, the tied softmax.
//
// Rows of states lie one after the other. T: tokens read now, start: tokens read before
// them, C: n_embd, H: n_head, D = C / H, V: n_vocab.

import { Arena, linearOf } from "./arena.js";

const EPS = 1e-5;

export class GPT {
  // config: n_layer, n_head, n_embd, n_ctx, n_vocab; tensors: name -> Float32Array;
  // wasm: the bytes of linear.wat, or nothing for plain JavaScript.
  constructor(config, tensors, wasm) {
    const { n_layer, n_embd: C, n_ctx, n_vocab: V } = config;
    const sizes = Object.values(tensors).map(tensor => tensor.length + 4);
    const rows = n_ctx * (3 * C + 4 * C + 5 * C + V) + 64;
    const arena = new Arena(sizes.reduce((a, b) => a + b, rows));
    this.config = config;
    this.linear = linearOf(arena, wasm);
    this.put = tensor => {
      const own = arena.take(tensor.length);
      own.set(tensor);
      return own;
    };
    this.tokens = this.put(tensors["tokens.weight"]); // W_e (V, C)
    this.positions = this.put(tensors["positions.weight"]); // W_p (n_ctx, C)
    this.softmaxLayer = { weight: this.tokens, bias: null, n_in: C, n_out: V };
    this.blocks = Array.from({ length: n_layer }, (_, l) => this.block(tensors, l));
    const take = width => arena.take(n_ctx * width);
    this.room = {
      h: take(C),
      qkv: take(3 * C),
      mixed: take(C),
      attended: take(C),
      n: take(C),
      wide: take(4 * C),
      mlp: take(C),
      logits: take(V),
    };
  }

  // The parameters of block l.
  block(tensors, l) {
    const put = name => this.put(tensors[`blocks.${l}.${name}`]);
    const layer = name => {
      const [weight, bias] = [put(`${name}.weight`), put(`${name}.bias`)];
      return { weight, bias, n_in: weight.length / bias.length, n_out: bias.length };
    };
    const norm = name => ({ gain: put(`${name}.weight`), bias: put(`${name}.bias`) });
    return {
      qkv: layer("attention.qkv"),
      project: layer("attention.project"),
      ln_1: norm("ln_1"),
      expand: layer("expand"),
      shrink: layer("shrink"),
      ln_2: norm("ln_2"),
    };
  }

  // Keys and values of no tokens yet.
  cache() {
    const { n_layer, n_ctx, n_embd } = this.config;
    const rooms = () => Array.from({ length: n_layer }, () => new Float32Array(n_ctx * n_embd));
    return { length: 0, keys: rooms(), values: rooms() };
  }

  // Logits after ids, which follow what the cache holds: (V,) after the last of them, or
  // (T, V) with `all`. steps: an object that gets every intermediate; factors: what the output
  // of some heads is multiplied by, as { "layer.head": 0 to 1 }.
  forward(ids, { cache = this.cache(), all = false, steps = null, factors = {} } = {}) {
    const { n_embd: C, n_vocab: V } = this.config;
    const [T, start] = [ids.length, cache.length];
    this.check(ids, start);
    const { h, logits } = this.room;
    this.embed(ids, start, h);
    if (steps) Object.assign(steps, { ids, h0: h.slice(0, T * C), blocks: [] });
    this.blocks.forEach((block, l) => {
      const kept = steps && {};
      this.readBlock(block, l, T, cache, factors, kept);
      if (steps) steps.blocks.push(kept);
    });
    cache.length += T;
    const from = all ? 0 : T - 1;
    this.linear(this.softmaxLayer, h.subarray(from * C), T - from, logits);
    return logits.slice(0, (T - from) * V);
  }

  // The state (C,) after the last block, at place t of what was read last.
  stateAt(t) {
    const C = this.config.n_embd;
    return this.room.h.slice(t * C, (t + 1) * C);
  }

  // Logits (T, V) of any states (T, C), as if the model ended there; valid until the next call.
  unembed(states) {
    const { n_embd: C, n_vocab: V } = this.config;
    const T = states.length / C;
    this.room.h.set(states);
    this.linear(this.softmaxLayer, this.room.h, T, this.room.logits);
    return this.room.logits.subarray(0, T * V);
  }

  // Throws where ids cannot be read: none, too many, or one out of the vocabulary.
  check(ids, start) {
    const { n_ctx, n_vocab } = this.config;
    if (!ids.length) throw new RangeError("the prompt is empty: at least 1 token is needed");
    const n = start + ids.length;
    if (n > n_ctx) throw new RangeError(`the text has ${n} tokens, the context is ${n_ctx}`);
    const bad = ids.find(id => !(Number.isInteger(id) && id >= 0 && id < n_vocab));
    if (bad !== undefined)
      throw new RangeError(`token id ${bad} is not in 0 to ${n_vocab - 1}`);
  }

  // h_0 = U W_e + W_p
  embed(ids, start, h) {
    const C = this.config.n_embd;
    ids.forEach((id, t) => {
      for (let c = 0; c < C; c++) {
        h[t * C + c] = this.tokens[id * C + c] + this.positions[(start + t) * C + c];
      }
    });
  }

  // n = LN(h + attention(h));  h = LN(n + mlp(n)).
  readBlock(block, l, T, cache, factors, kept) {
    const C = this.config.n_embd;
    const { h, qkv, mixed, attended, n, wide, mlp } = this.room;
    const keep = (name, rows, width = C) => {
      if (kept) kept[name] = rows.slice(0, T * width);
    };
    this.linear(block.qkv, h, T, qkv);
    keep("qkv", qkv, 3 * C);
    store(qkv, T, C, cache.keys[l], cache.values[l], cache.length);
    this.attend(qkv, cache, l, T, mixed, factors, kept);
    keep("mixed", mixed);
    this.linear(block.project, mixed, T, attended);
    keep("attended", attended);
    addAndNormalize(h, attended, block.ln_1, T, C, n);
    keep("n", n);
    this.linear(block.expand, n, T, wide);
    keep("before_gelu", wide, 4 * C);
    gelu(wide, 4 * C * T);
    keep("neurons", wide, 4 * C);
    this.linear(block.shrink, wide, T, mlp);
    keep("mlp", mlp);
    addAndNormalize(n, mlp, block.ln_2, T, C, h);
    keep("h", h);
  }

  // softmax(q k^T / sqrt(D) + mask) v of every head, into its own columns of `mixed`.
  attend(qkv, cache, l, T, mixed, factors, kept) {
    const { n_head: H, n_embd: C } = this.config;
    const [D, start] = [C / H, cache.length];
    const [keys, values] = [cache.keys[l], cache.values[l]];
    const S = start + T;
    if (kept)
      [kept.scores, kept.weights] = [new Float32Array(H * T * S), new Float32Array(H * T * S)];
    mixed.fill(0, 0, T * C);
    const row = new Float32Array(S);
    for (let head = 0; head < H; head++) {
      const factor = factors[`${l}.${head}`] ?? 1;
      for (let t = 0; t < T; t++) {
        const seen = start + t + 1; // the causal mask: this token, and those before it
        const asked = kept ? S : seen; // the scores before the mask, where they are kept
        scoreRow(qkv, t * 3 * C + head * D, keys, head * D, C, D, asked, row);
        if (kept) kept.scores.set(row, (head * T + t) * S);
        softmax(row, seen);
        if (kept) kept.weights.set(row.subarray(0, seen), (head * T + t) * S);
        if (!factor) continue; // its part of the mix stays 0
        if (factor < 1) for (let s = 0; s < seen; s++) row[s] *= factor; // the mix, scaled
        mixRow(row, seen, values, head * D, C, D, mixed, t * C + head * D);
      }
    }
  }
}

// Keys and values of T new tokens, to the end of the cache.
function store(qkv, T, C, keys, values, start) {
  for (let t = 0; t < T; t++) {
    const [from, to] = [t * 3 * C, (start + t) * C];
    keys.set(qkv.subarray(from + C, from + 2 * C), to);
    values.set(qkv.subarray(from + 2 * C, from + 3 * C), to);
  }
}

// q k / sqrt(D) of one query, with each key that it may see.
function scoreRow(q, at, keys, head, C, D, seen, row) {
  for (let s = 0; s < seen; s++) {
    const key = s * C + head;
    let sum = 0;
    for (let d = 0; d < D; d++) sum += q[at + d] * keys[key + d];
    row[s] = sum / Math.sqrt(D);
  }
}

// The first n numbers of a row become weights that sum to 1.
function softmax(row, n) {
  let max = Number.NEGATIVE_INFINITY;
  for (let s = 0; s < n; s++) max = Math.max(max, row[s]);
  let sum = 0;
  for (let s = 0; s < n; s++) sum += row[s] = Math.exp(row[s] - max);
  for (let s = 0; s < n; s++) row[s] /= sum;
}

function mixRow(weights, seen, values, head, C, D, mixed, at) {
  for (let s = 0; s < seen; s++) {
    const [weight, value] = [weights[s], s * C + head];
    for (let d = 0; d < D; d++) mixed[at + d] += weight * values[value + d];
  }
}

// out = LN(x + y), row by row: mean 0 and variance 1, then gain and bias.
function addAndNormalize(x, y, { gain, bias }, T, C, out) {
  const sum = new Float64Array(C);
  for (let t = 0; t < T; t++) {
    let [mean, variance] = [0, 0];
    for (let c = 0; c < C; c++) mean += sum[c] = x[t * C + c] + y[t * C + c];
    mean /= C;
    for (let c = 0; c < C; c++) variance += (sum[c] - mean) ** 2;
    const scale = 1 / Math.sqrt(variance / C + EPS);
    for (let c = 0; c < C; c++) out[t * C + c] = (sum[c] - mean) * scale * gain[c] + bias[c];
  }
}

// GELU in the tanh form of the released code.
function gelu(x, n) {
  const root = Math.sqrt(2 / Math.PI);
  for (let i = 0; i < n; i++) {
    const u = x[i];
    x[i] = 0.5 * u * (1 + Math.tanh(root * (u + 0.044715 * u ** 3)));
  }
}
