// What the page's training computes, for learner_in_node.py: questions on standard input as
// JSON, answers on standard output. The engine's folders are given, so that copies with a fault
// can be asked, too.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { folders, questions } = JSON.parse(readFileSync(0, "utf8"));
let Learner; // of the folder that is asked
let MODELS;
let Run;
let load;
const wasm = readFileSync(`${folders[0]}/train/products.wasm`);
const optionsOf = { exact: { exact: true }, plain: {}, wasm: { wasm } };

// Loss and gradients of ids (B, T); given twice, so that what one update leaves behind shows.
function gradients({ model = "gpt", config, params, ids, mode }) {
  const [B, T] = [ids.length, ids[0].length];
  const learner = new MODELS[model](config, B, optionsOf[mode]);
  learner.params.load(params);
  const rows = Int32Array.from(ids.flat());
  learner.backward(rows, B, T);
  const loss = learner.backward(rows, B, T);
  return { loss, grads: learner.grads.arrays(), kernel: Boolean(learner.arena.kernel) };
}

// A run before its first update.
function begun({ text, settings }) {
  const it = new Run({ ...settings, n_vocab: new Set(text).size }, Int32Array.from([0]), {});
  const { parameters, units, params } = it.learner;
  return { parameters, units, params: params.arrays() };
}

// Logits after the last of some tokens.
function next({ model = "gpt", config, params, ids, mode }) {
  const learner = new MODELS[model](config, 1, optionsOf[mode]);
  learner.params.load(params);
  return ids.map(row => Array.from(learner.next(row)));
}

// Loss and norm of each update, and the parameters in the end.
function run({ settings, params, windows, mode }) {
  const rows = windows.map(ids => Int32Array.from(ids.flat()));
  const it = new Run(settings, rows[0], optionsOf[mode]);
  it.learner.params.load(params);
  const told = rows.map(ids => it.update(ids));
  return { told, params: it.learner.params.arrays() };
}

// C = A B of numbers in a row, by the kernel and without it.
function products(cases) {
  return cases.map(({ A, B, M, K, N, C, transposed, add, mode }) => {
    const learner = new Learner(
      { n_layer: 1, n_head: 1, n_embd: 4, n_ctx: 4, n_vocab: 4 },
      1,
      optionsOf[mode],
    );
    const { arena } = learner;
    const views = [A, B, C].map(numbers => {
      const view = arena.take(numbers.length);
      view.set(numbers);
      return view;
    });
    const [a, b, c] = views.map(view => arena.at(view));
    const steps = transposed ? [1, M] : [K, 1];
    arena.product(a, ...steps, b, N, c, N, M, K, N, add);
    return Array.from(views[2]);
  });
}

// A run as a page has it: what it is about, losses [updates before it, loss, smoothed],
// updates at which it fell below each level, and [updates, text, words] of its stages.
async function observed({ text, settings, updates }) {
  const { Observer } = await load("observer");
  const it = new Observer(text, settings, wasm);
  const [losses, stages, crossed] = [[], [], {}];
  const keep = ({ step, text, words }) => stages.push([step, text, words]);
  const { levels, parameters, note } = it.about();
  keep(it.stage());
  for (let step = 0; step < updates && !it.hasDiverged; step++) {
    const { loss, smooth } = it.update();
    losses.push([step, loss, smooth]);
    if (it.isStage) keep(it.stage());
    for (const key in levels) if (smooth < levels[key]) crossed[key] ??= step + 1;
  }
  return { levels, parameters, note, losses, stages, crossed, diverged: it.hasDiverged };
}

// What a page says of a pasted text, its characters, levels, and words.
async function text({ text, n_ctx = 48, written = "" }) {
  const found = await load("characters");
  const characters = found.charactersOf(found.readOf(text).text);
  const ids = found.encoded(text, characters);
  const levels = found.levelsOf(ids, characters.length);
  const words = found.realWords(written, found.longWords(text));
  return { ...found.noticeOf(text, n_ctx), characters, ids: Array.from(ids), levels, words };
}

// The main directions of a table of positions: points and share, after so many pictures.
async function directions({ table, T, C, pictures }) {
  const { MainDirections } = await load("positions");
  const it = new MainDirections(T, C);
  let found;
  for (let i = 0; i < pictures; i++) found = it.of(Float32Array.from(table.flat()));
  return { ...found, points: Array.from(found.points) };
}

// A run trained, kept and restored: what both write, and what two wrong files are told.
async function restored({ text, updates }) {
  const { Observer } = await load("observer");
  const it = new Observer(text, { n_layer: 1, n_embd: 16, batch: 4, n_ctx: 16 }, wasm);
  for (let i = 0; i < updates; i++) it.update();
  const kept = it.kept();
  const other = new Observer(kept.text, kept.settings, wasm);
  const before = other.write("She ", 20);
  other.restore(kept.step, kept.weights);
  const refused = [kept.weights.slice(1), kept.weights.map(() => Number.NaN)].map(weights => {
    try {
      return other.restore(1, weights) ?? "";
    } catch (error) {
      return error.message;
    }
  });
  return { texts: [before, it.write("She ", 20), other.write("She ", 20)], refused };
}

const WIDE = { n_layer: 1, n_head: 4, n_embd: 256, n_ctx: 256, n_vocab: 4 };

// Updates a second of each of some sizes, and billions of multiplications and additions a
// second of the kernel in a product of 256 x 256 numbers.
function speed({ sizes, seconds }) {
  const rates = sizes.map(settings => {
    const ids = Int32Array.from({ length: 4000 }, (_, i) => (i * i) % settings.n_vocab);
    const it = new Run(settings, ids, { wasm });
    return perSecond(() => it.update(), seconds);
  });
  const { arena } = new Learner(WIDE, 2, { wasm });
  const product = () => arena.product(0, 256, 1, 65536, 256, 131072, 256, 256, 256, 256);
  const { clock, processor } = perSecond(product, seconds / 4);
  const gflops = rate => (2 * 256 ** 3 * rate) / 1e9;
  return { rates, product: { clock: gflops(clock), processor: gflops(processor) } };
}

// How often an act is done a second: of the clock, and of the processor, which other
// processes of a shared machine do not count in.
function perSecond(act, seconds) {
  for (let i = 0; i < 5; i++) act();
  const [start, used] = [performance.now(), process.cpuUsage()];
  let n = 0;
  while (performance.now() - start < 1000 * seconds || n < 5) {
    act();
    n++;
  }
  const { user, system } = process.cpuUsage(used);
  const clock = (1000 * n) / (performance.now() - start);
  return { clock, processor: (1e6 * n) / (user + system) };
}

const ANSWERS = {
  gradients,
  begun,
  next,
  run,
  products,
  observed,
  text,
  directions,
  restored,
  speed,
};
const answers = [];
for (const folder of folders) {
  load = name => import(pathToFileURL(`${folder}/train/${name}.js`).href);
  ({ Learner } = await load("model"));
  ({ MODELS, Run } = await load("run"));
  const told = [];
  for (const [name, ...args] of questions) told.push(await ANSWERS[name](...args));
  answers.push(told);
}
process.stdout.write(JSON.stringify(answers));
