// The engine's side of the page's questions, in a worker, so that the page never stands still.
// A question: { id, name, args }; answers: { id, part } while writing, then { id, answer },
// or { id, error }.

import { Mind } from "./mind.js";

let mind = null;
const stopped = new Set(); // numbers of the questions that nobody waits for any more

const breathe = () => new Promise(resolve => setTimeout(resolve)); // lets messages come in

const ANSWERS = {
  load: ({ facts, bytes, wasm }) => {
    mind = new Mind(facts, bytes, wasm);
  },
  ids: text => mind.ids(text),
  next: text => mind.next(text),
  trace: (text, silent) => mind.trace(text, silent),
};

async function write(id, text, options) {
  let n = 0;
  for (const part of mind.write(text, options)) {
    if (stopped.delete(id)) break;
    n++;
    self.postMessage({ id, part });
    await breathe();
  }
  return n;
}

self.onmessage = async ({ data: { id, name, args } }) => {
  if (name === "stop") return stopped.add(id);
  try {
    const answer = name === "write" ? await write(id, ...args) : ANSWERS[name](...args);
    self.postMessage({ id, answer });
  } catch (error) {
    self.postMessage({ id, error: error.message });
  }
};
