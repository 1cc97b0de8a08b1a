// A model as a file keeps it, and as a page reads it again.

import { Observer } from "./observer.js";
import { MODELS } from "./run.js";

const MOST = { n_layer: 4, n_head: 4, n_embd: 96, n_ctx: 48 }; // the page makes no larger one

// The Observer of what `kept` has told; an Error says what is wrong with it.
export function restored({ text, settings, step, weights }, wasm) {
  if (typeof text !== "string") throw new Error("it has no text");
  if (!Number.isInteger(step) || step < 0) throw new Error(`its updates are ${step}`);
  if (!((settings?.model ?? "gpt") in MODELS))
    throw new Error(`its model is ${settings.model}`);
  for (const [name, most] of Object.entries(MOST)) checkSize(name, settings?.[name], most);
  const found = new Observer(text, settings, wasm);
  found.restore(step, weights);
  return found;
}

function checkSize(name, size, most) {
  if (Number.isInteger(size) && size >= 1 && size <= most) return;
  throw new Error(`its ${name} is ${size}, and this page reads 1 to ${most}`);
}
