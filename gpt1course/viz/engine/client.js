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

// Where no engine holds the model, Python is asked: { id, question } goes there, and what
// comes back is { id, record, arrays }, the names of the arrays that come as buffers. One
// question at a time: of those that come meanwhile, only the newest is asked.
class Kernel {
  constructor(model) {
    Object.assign(this, { model, count: 0, since: Number.NEGATIVE_INFINITY });
  }

  // A promise of a record; it is kept by the newest question alone.
  ask(question) {
    this.newest = question;
    if (performance.now() - this.since > PATIENCE) this.send();
    return new Promise(resolve => {
      this.resolve = resolve;
    });
  }

  send() {
    this.sent = this.newest;
    this.since = performance.now();
    try {
      this.model.send({ id: ++this.count, question: this.sent });
    } catch {
      // the kernel has gone: as if it did not answer
    }
  }

  // Each view of a widget tells of what it hears, and the first one counts.
  hear({ id, record, arrays }, buffers) {
    if (!record || (id !== null && id !== this.count)) return;
    if (id !== null) {
      this.since = Number.NEGATIVE_INFINITY;
      if (this.sent !== this.newest) return this.send();
    } // else a cell has asked, and the page sees its question, too
    const named = arrays.map((name, i) => [name, buffers[i]]);
    this.resolve?.({ ...record, ...Object.fromEntries(named) });
  }
}

// A model whose questions are answered by a backend: an engine, as answer(engine, asked,
// model) puts them to it (see asked), or the kernel. Both give a promise of the record: traits
// by name.
// The page keeps it (own: what all views of one widget share); Python learns what was chosen.
export function answering(given, answer, own) {
  const controls = given.get("controls");
  const forgetKernel = given.send ? hearKernel(given, own) : () => {};
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
    save_changes: () => given.save_changes(),
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
      if (chosen.length) given.save_changes();
    },
  };
  const forgetQuestions = onQuestion(given, changed =>
    settle(model, given, answer, changed, own),
  );
  const forget = () => {
    forgetQuestions();
    forgetKernel();
  };
  return { model, forget };
}

// What the kernel sends, by way of this view: anywidget lets a view hear nothing once it is
// removed, and others of the widget may still be there. Returns what stops that.
function hearKernel(given, own) {
  own.kernel ??= new Kernel(given);
  const hear = (content, buffers) => own.kernel.hear(content, buffers);
  given.on("msg:custom", hear);
  return () => given.off("msg:custom", hear);
}

// Calls ask({ name: value }) with the controls that ask and have changed; returns what stops
// that.
function onQuestion(given, ask) {
  let changed = [];
  const heard = given.get("asks").map(name => {
    const note = () => {
      if (!changed.length) queueMicrotask(flush);
      changed.push(name);
    };
    given.on(`change:${name}`, note);
    return [`change:${name}`, note];
  });
  function flush() {
    const asked = changed;
    changed = [];
    ask(valuesOf(given, asked));
  }
  return () => {
    for (const [event, note] of heard) given.off(event, note);
  };
}

const valuesOf = (model, names) =>
  Object.fromEntries(names.map(name => [name, model.get(name)]));

// What puts a view's question to an engine: which record of records.js. The engine is told
// the same traits as a backend in Python (base.py, answer_by).
export const asked = record => (engine, changed, model) => {
  const told = [...model.get("asks"), ...model.get("told")];
  return engine.ask("record", record, valuesOf(model, told), Object.keys(changed));
};

let questions = 0;

// An engine is asked one question at a time: of those that come meanwhile only the newest is
// put to it, with the traits as they are then. The newest record is shown, whatever comes
// later of older questions.
async function settle(model, given, answer, asked, own) {
  const engine = engineOf(given);
  if (!engine && !own.kernel) return;
  model.open = { ...model.open, ...asked }; // has changed since the last question
  if (model.isAsking) return;
  const [number, changed] = [++questions, model.open];
  Object.assign(model, { open: {}, isAsking: Boolean(engine) });
  let record;
  try {
    record = await (engine
      ? answer(engine, changed, model)
      : own.kernel.ask(valuesOf(given, given.get("asks"))));
  } catch (error) {
    record = { message: `This cannot be read: ${error.message}.` };
  }
  if (engine) model.isAsking = false;
  if (number >= (model.newest ?? 0)) {
    model.newest = number;
    model.take({ ...record, answers: model.get("answers") + 1 });
  }
  if (Object.keys(model.open).length) settle(model, given, answer, {}, own);
}
