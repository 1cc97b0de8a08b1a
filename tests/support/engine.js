// What the page's engine computes, for engine_in_node.py: the model, and then lists of questions,
// on standard input as JSON, a line each; lines of answers on standard output. The engine's
// folder is given, so that a copy with a fault can be asked, too.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { folder, facts, bytes, simd } = JSON.parse((await lines.next()).value);
const load = name => import(pathToFileURL(`${folder}/${name}.js`).href);
const { Session } = await load("session");
const { tidy } = await load("text");
const { mulberry } = await load("numbers");
const { drawFrom, filtered, probsOf } = await load("sample");

const raw = readFileSync(bytes);
const buffer = raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length);
const session = new Session(facts, buffer, simd ? readFileSync(`${folder}/linear.wasm`) : null);

const floats = array => Buffer.from(Float32Array.from(array).buffer).toString("base64");

// Every step of reading a text, and the logits (T, V) at each of its tokens; factors: of heads,
// as GPT.forward takes them.
function traced(text, factors) {
  const steps = {};
  const logits = session.model.forward(session.ids(text), { all: true, steps, factors });
  const { ids, h0, blocks } = steps;
  const rows = blocks.map(block =>
    Object.fromEntries(Object.entries(block).map(([name, values]) => [name, floats(values)])),
  );
  return { ids, h0: floats(h0), logits: floats(logits), blocks: rows };
}

// What a map of the model draws: arrays as text, all else as it is.
function mapped(text, most, factors) {
  const found = Object.entries(session.map(text, most, factors));
  const told = value => (value instanceof Float32Array ? floats(value) : value);
  return Object.fromEntries(found.map(([name, value]) => [name, told(value)]));
}

// Logits after the last token, read piece by piece through the cache.
function inPieces(text, sizes) {
  const ids = session.bpe.encode(text);
  const cache = session.model.cache();
  let [at, logits] = [0, null];
  for (const size of sizes) {
    logits = session.model.forward(ids.slice(at, at + size), { cache });
    at += size;
  }
  return floats(logits);
}

function drawn(logits, options, n) {
  const probs = filtered(probsOf(logits, options.temperature), options);
  const random = mulberry(options.seed);
  return {
    probs: floats(probs),
    ids: Array.from({ length: n }, () => drawFrom(probs, random())),
  };
}

function refused(ids) {
  try {
    session.model.forward(ids);
    return null;
  } catch (error) {
    return error.message;
  }
}

// Texts that the worker is asked for at once: once the last has ended, how many tokens of each
// it has written, null where that one still waits.
async function together(texts, options) {
  const { crc32 } = await load("checksum");
  globalThis.self ??= {};
  await load("worker");
  const answers = new Map();
  const ended = new Promise(resolve => {
    self.postMessage = ({ id, part, answer, error }) => {
      if (part) return;
      answers.set(id, error ?? answer);
      if (id === texts.length) resolve();
    };
  });
  const [told, wasm] = [JSON.stringify(facts), readFileSync(`${folder}/linear.wasm`)];
  const model = new Uint8Array(buffer);
  const checksum = crc32(new TextEncoder().encode(told), model, wasm);
  const ask = (id, name, ...args) => self.onmessage({ data: { id, name, args } });
  ask(0, "load", { facts: told, bytes: model, wasm, checksum });
  for (const [i, text] of texts.entries()) ask(i + 1, "write", text, options);
  await ended;
  return texts.map((_, i) => answers.get(i + 1) ?? null);
}

// What a worker is told when a writing is stopped before the model is there, and what of it is
// heard then.
async function stoppedEarly() {
  const { Engine } = await load("engine");
  const told = [];
  let loaded;
  const parts = new Promise(resolve => {
    loaded = resolve;
  });
  globalThis.Worker = class {
    postMessage({ name }) {
      told.push(name);
    }
  };
  const engine = new Engine([], "", () => parts);
  const stopped = engine.write("She", {}, part => told.push(part)).stop();
  loaded({ bytes: new Uint8Array(1) });
  await stopped;
  engine.hear({ id: 1, part: "too late" });
  return told;
}

// What a view's answer() gives: its script, what was asked, and its traits (bytes as
// { bytes: base64 }), with numbers of arrays as { floats: base64 }.
async function viewed(script, asked, traits) {
  const encoded = Buffer.from(script).toString("base64");
  const { answer } = (await import(`data:text/javascript;base64,${encoded}`)).default;
  const engine = { ask: async (name, ...args) => session[name](...args) };
  const get = name => (traits[name]?.bytes ? bytesOf(traits[name].bytes) : traits[name]);
  const given = await answer(engine, asked, { get }).catch(error => ({ error: error.message }));
  const plain = value => (value instanceof Float32Array ? { floats: floats(value) } : value);
  return Object.fromEntries(Object.entries(given).map(([name, v]) => [name, plain(v)]));
}

function bytesOf(base64) {
  const { buffer, byteOffset, length } = Buffer.from(base64, "base64");
  return new DataView(buffer, byteOffset, length);
}

const ANSWERS = {
  encode: texts => texts.map(text => session.bpe.encode(text)),
  decode: lists => lists.map(ids => session.bpe.decode(ids)),
  tidy: texts => texts.map(tidy),
  write: (text, options) => [...session.write(text, options)].map(({ id }) => id),
  trace: traced,
  map: mapped,
  ways: (text, options) => session.ways(text, options),
  notice: (text, most) => session.notice(text, most),
  together,
  stoppedEarly,
  pieces: inPieces,
  drawn,
  refused,
  viewed,
};

for await (const line of lines) {
  const answers = [];
  for (const [name, ...args] of JSON.parse(line)) answers.push(await ANSWERS[name](...args));
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
