// The engine's side of the page's questions, in a worker, so that the page never stands still.
// A question: { id, name, args }; answers: { id, part } while writing, then { id, answer },
// or { id, error }.

import { crc32 } from "./checksum.js";
import { Session } from "./session.js";

let session = null;
const stopped = new Set(); // numbers of the questions that nobody waits for any more

// A pause that lets messages come in; setTimeout would take four milliseconds. Several texts
// may be written at once: each waits for its own turn.
const { port1, port2 } = new MessageChannel();
const paused = [];
port1.onmessage = () => paused.shift()();
const breathe = () =>
  new Promise(resolve => {
    paused.push(resolve);
    port2.postMessage(null);
  });

// facts: JSON; bytes and wasm: Uint8Arrays; checksum: of these three.
function load({ facts, bytes, wasm, checksum }) {
  if (crc32(new TextEncoder().encode(facts), bytes, wasm) !== checksum) {
    throw new Error("the model is damaged: its numbers are not the ones that were stored");
  }
  session = new Session(JSON.parse(facts), bytes.buffer, wasm);
}

async function write(id, text, options) {
  let n = 0;
  for (const part of session.write(text, options)) {
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
    const answers = { load, write: (...given) => write(id, ...given) };
    const answer = await (answers[name] ?? session[name].bind(session))(...args);
    self.postMessage({ id, answer });
  } catch (error) {
    self.postMessage({ id, error: error.message });
  }
};
