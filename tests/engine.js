// What the page's engine computes, for engine_in_node.py: questions on standard input as JSON,
// answers on standard output. The engine's folder is given, so that a copy with a fault can
// be asked, too.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { folder, facts, bytes, simd, questions } = JSON.parse(readFileSync(0, "utf8"));
const load = name => import(pathToFileURL(`${folder}/${name}.js`).href);
const { Mind } = await load("mind");
const { tidy } = await load("text");
const { mulberry } = await load("numbers");
const { draw, filtered, probsOf } = await load("sample");

const raw = readFileSync(bytes);
const buffer = raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length);
const mind = new Mind(facts, buffer, simd ? readFileSync(`${folder}/linear.wasm`) : null);

const floats = array => Buffer.from(Float32Array.from(array).buffer).toString("base64");

function traced(text, silent) {
  const { ids, h0, logits, blocks } = mind.trace(text, silent);
  const rows = blocks.map(block =>
    Object.fromEntries(Object.entries(block).map(([name, values]) => [name, floats(values)])),
  );
  return { ids, h0: floats(h0), logits: floats(logits), blocks: rows };
}

// Logits after the last token, read piece by piece through the cache.
function inPieces(text, sizes) {
  const ids = mind.bpe.encode(text);
  const cache = mind.model.cache();
  let [at, logits] = [0, null];
  for (const size of sizes) {
    logits = mind.model.forward(ids.slice(at, at + size), { cache });
    at += size;
  }
  return floats(logits);
}

function drawn(logits, options, n) {
  const probs = filtered(probsOf(logits, options.temperature), options);
  const random = mulberry(options.seed);
  return { probs: floats(probs), ids: Array.from({ length: n }, () => draw(probs, random())) };
}

function refused(ids) {
  try {
    mind.model.forward(ids);
    return null;
  } catch (error) {
    return error.message;
  }
}

const ANSWERS = {
  encode: texts => texts.map(text => mind.bpe.encode(text)),
  decode: lists => lists.map(ids => mind.bpe.decode(ids)),
  tidy: texts => texts.map(tidy),
  write: (text, options) => [...mind.write(text, options)].map(({ id }) => id),
  trace: traced,
  ways: (text, options) => mind.ways(text, options),
  formats: (texts, rows) => mind.formats(texts, rows),
  pieces: inPieces,
  drawn,
  refused,
};

process.stdout.write(
  JSON.stringify(questions.map(([name, ...args]) => ANSWERS[name](...args))),
);
