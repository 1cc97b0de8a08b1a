// What a view asks is answered in the page where an engine there holds the model, and by
// Python where none does, or not yet.

import { Engine } from "./engine.js";

const MOST_ENGINES = 3; // on a page of a notebook, each with a model of its own
const PATIENCE = 10_000; // milliseconds until Python is asked for a model again

// The engine of a static page (gpt1), or of those that a notebook's page has made.
export function engineOf(model) {
  const here = [globalThis.gpt1, ...(globalThis.gpt1Engines ?? [])];
  return here.find(engine => engine?.ids.includes(model.get("weights_id")));
}

// Python is asked for the model itself, once on a page: the bytes come as a message.
export function fetchEngine(model) {
  const id = model.get("weights_id");
  globalThis.gpt1Asked ??= {};
  const since = performance.now() - (globalThis.gpt1Asked[id] ?? Number.NEGATIVE_INFINITY);
  if (!id || !model.send || engineOf(model) || since < PATIENCE) return;
  globalThis.gpt1Asked[id] = performance.now();
  const take = ({ engine }, buffers) => {
    if (!engine?.ids.includes(id)) return;
    model.off("msg:custom", take);
    if (!engineOf(model)) begin(engine, buffers.map(copyOf));
  };
  model.on("msg:custom", take);
  model.send({ engine: id });
}

const copyOf = ({ buffer, byteOffset, byteLength }) =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();

// An engine counts from its first answer on: a page may forbid workers, bytes may be damaged.
async function begin({ ids, source, facts, checksum }, [bytes, wasm]) {
  const engine = new Engine(ids, source, async () => ({ facts, bytes, wasm, checksum }));
  try {
    await engine.ask("notice", "");
  } catch {
    return;
  }
  globalThis.gpt1Engines = [engine, ...(globalThis.gpt1Engines ?? [])];
  for (const old of globalThis.gpt1Engines.splice(MOST_ENGINES)) old.close();
}

// A model whose questions an engine answers, if there is one: answer(engine, asked, model)
// gives a promise of the traits that Python's side would set, or null where nothing is to be
// computed. The page keeps these (own: those of all views of one widget); Python learns what
// was chosen, and that it need not answer.
export function answering(given, answer, own) {
  const controls = given.get("controls");
  const model = {
    get: name => (name in own.traits ? own.traits[name] : given.get(name)),
    set: (name, value) => given.set(name, value),
    on(event, act) {
      own.heard.push([event, act]);
      given.on(event, act);
    },
    off(event, act) {
      own.heard = own.heard.filter(pair => pair[0] !== event || pair[1] !== act);
      given.off(event, act);
    },
    save_changes() {
      if (engineOf(given)) given.set("in_page", given.get("in_page") + 1);
      given.save_changes();
    },
    take(traits) {
      if (given.take) return given.take(traits); // a static copy: no Python to tell
      const isControl = ([name]) => controls.includes(name);
      const all = Object.entries(traits);
      const kept = all.filter(trait => !isControl(trait));
      Object.assign(own.traits, Object.fromEntries(kept));
      for (const [name] of kept) {
        for (const [event, act] of own.heard) if (event === `change:${name}`) act();
      }
      const chosen = all.filter(isControl);
      for (const [name, value] of chosen) given.set(name, value);
      if (chosen.length) model.save_changes();
    },
  };
  const forget = onQuestion(given, controls, asked => settle(model, given, answer, asked));
  return { model, forget };
}

// Calls ask({ name: value }) with the controls that have changed; returns what stops that.
function onQuestion(given, controls, ask) {
  let changed = [];
  const heard = controls.map(name => {
    const note = () => {
      if (!changed.length) queueMicrotask(flush);
      changed.push(name);
    };
    given.on(`change:${name}`, note);
    return [`change:${name}`, note];
  });
  function flush() {
    const asked = Object.fromEntries(changed.map(name => [name, given.get(name)]));
    changed = [];
    ask(asked);
  }
  return () => {
    for (const [event, note] of heard) given.off(event, note);
  };
}

let questions = 0;

// The newest answer is shown, whatever comes later of older questions.
async function settle(model, given, answer, asked) {
  const engine = engineOf(given);
  if (!engine) return;
  const number = ++questions;
  let traits;
  try {
    traits = await answer(engine, asked, model);
  } catch (error) {
    traits = { message: `This cannot be read: ${error.message}.` };
  }
  if (!traits || number < (model.newest ?? 0)) return;
  model.newest = number;
  model.take({ ...traits, answers: model.get("answers") + 1 });
}
