// What the page's training computes, for learner_in_node.py: questions on standard input as
// JSON, answers on standard output. The engine's folders are given, so that copies with a fault
// can be asked, too.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { folders, questions } = JSON.parse(readFileSync(0, "utf8"));
let Learner; // of the folder that is asked
let Run;
const wasm = readFileSync(`${folders[0]}/train/products.wasm`);
const roomOf = { exact: { exact: true }, plain: {}, wasm: { wasm } };
const flat = views =>
  Object.fromEntries(Object.entries(views).map(([name, view]) => [name, Array.from(view)]));

// Loss and gradients of ids (B, T); given twice, so that what one update leaves behind shows.
function gradients({ config, params, ids, mode }) {
  const [B, T] = [ids.length, ids[0].length];
  const learner = new Learner(config, B, roomOf[mode]);
  learner.params.load(params);
  const rows = Int32Array.from(ids.flat());
  learner.backward(rows, B, T);
  const loss = learner.backward(rows, B, T);
  return { loss, grads: flat(learner.grads.views), kernel: Boolean(learner.room.kernel) };
}

// Loss and norm of each update, and the parameters in the end.
function run({ settings, params, windows, mode }) {
  const rows = windows.map(ids => Int32Array.from(ids.flat()));
  const it = new Run(settings, rows[0], roomOf[mode]);
  it.learner.params.load(params);
  const told = rows.map(ids => it.update(ids));
  return { told, params: flat(it.learner.params.views) };
}

// C = A B of numbers in a row, by the kernel and without it.
function products(cases) {
  return cases.map(({ A, B, M, K, N, C, transposed, add, mode }) => {
    const learner = new Learner(
      { n_layer: 1, n_head: 1, n_embd: 4, n_ctx: 4, n_vocab: 4 },
      1,
      roomOf[mode],
    );
    const { room } = learner;
    const views = [A, B, C].map(numbers => {
      const view = room.take(numbers.length);
      view.set(numbers);
      return view;
    });
    const [a, b, c] = views.map(view => room.at(view));
    const steps = transposed ? [1, M] : [K, 1];
    room.product(a, ...steps, b, N, c, N, M, K, N, add);
    return Array.from(views[2]);
  });
}

const ANSWERS = { gradients, run, products };
const answers = [];
for (const folder of folders) {
  const load = name => import(pathToFileURL(`${folder}/train/${name}.js`).href);
  ({ Learner } = await load("model"));
  ({ Run } = await load("run"));
  answers.push(questions.map(([name, ...args]) => ANSWERS[name](...args)));
}
process.stdout.write(JSON.stringify(answers));
