// The page's side: a model in a worker, and promises of its answers.

const LOADING = 0; // in the place of a question's number

export class Engine {
  // ids: of the model and of the vocabulary that it holds; source: the worker's code; load: a
  // function that gives a promise of { facts, bytes, wasm, checksum }, called when something
  // is asked for the first time.
  constructor(ids, source, load) {
    Object.assign(this, { ids, source, load, waiting: new Map(), count: 0 });
  }

  // A promise of an answer of worker.js.
  ask(name, ...args) {
    return this.send(name, args, () => {}).answer;
  }

  // Tokens as they are written: heard({ id, text }) for each. After stop() no more of them is
  // heard, and the worker ends it; the model may still be loading then.
  write(text, options, heard) {
    let isStopped = false;
    const hear = part => isStopped || heard(part);
    const { id, answer } = this.send("write", [text, options], hear);
    const tell = () => this.worker.postMessage({ id, name: "stop" });
    const stop = () => {
      isStopped = true;
      return this.start().then(tell, () => {});
    };
    return { answer, stop };
  }

  send(name, args, heard) {
    const id = ++this.count;
    const answer = new Promise((resolve, reject) => {
      const question = { resolve, reject, heard };
      this.waiting.set(id, question);
      this.start()
        .then(() => this.worker.postMessage({ id, name, args }))
        .catch(reject);
    });
    return { id, answer };
  }

  // The worker with its model, begun once.
  start() {
    this.started ??= this.load().then(parts => {
      const code = URL.createObjectURL(new Blob([this.source], { type: "text/javascript" }));
      this.worker = new Worker(code);
      this.worker.onmessage = ({ data }) => this.hear(data);
      this.worker.onerror = () => this.close();
      const given = [parts.bytes.buffer]; // not copied
      this.worker.postMessage({ id: LOADING, name: "load", args: [parts] }, given);
    });
    return this.started;
  }

  // Nothing more is answered, now or later; why: a clause.
  close(why = "the model in the page has ended") {
    this.worker?.terminate();
    const error = new Error(why);
    this.started = Promise.reject(error);
    this.started.catch(() => {}); // whoever asks is told
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  hear({ id, part, answer, error }) {
    if (id === LOADING && error) return this.close(error);
    const question = this.waiting.get(id);
    if (part) return question?.heard(part);
    this.waiting.delete(id);
    if (error) question?.reject(new Error(error));
    else question?.resolve(answer);
  }
}

// The model of a script beside the page, which sets gpt1Model (bundle.py); checksum: of it.
// Once read, its megabytes of letters are deleted.
export function fromScript(address, checksum) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => {
      try {
        resolve({ ...withBytes(globalThis.gpt1Model), checksum });
      } catch {
        reject(new Error(`${address} is damaged`));
      }
      delete globalThis.gpt1Model;
    };
    script.onerror = () => reject(new Error(`${address} is not beside this page`));
    document.head.append(script);
  });
}

function withBytes({ facts, bytes, wasm }) {
  return { facts, bytes: fromBase64(bytes), wasm: fromBase64(wasm) };
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
}
