// The page's side: a model in a worker, and promises of its answers.

export class Engine {
  // source: the worker's code; parts: { facts, bytes, wasm } of a model.
  constructor(source, parts) {
    const code = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.worker = new Worker(code);
    this.waiting = new Map();
    this.count = 0;
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.ready = this.ask("load", parts);
  }

  hear({ id, part, answer, error }) {
    const question = this.waiting.get(id);
    if (part) return question?.heard(part);
    this.waiting.delete(id);
    if (error) question?.reject(new Error(error));
    else question?.resolve(answer);
  }

  // A promise of an answer of worker.js.
  ask(name, ...args) {
    return this.send(name, args, () => {}).answer;
  }

  // Tokens as they are written: heard({ id, piece }) for each, stop() ends it.
  write(text, options, heard) {
    const { id, answer } = this.send("write", [text, options], heard);
    return { answer, stop: () => this.worker.postMessage({ id, name: "stop" }) };
  }

  send(name, args, heard) {
    const id = ++this.count;
    const answer = new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, heard });
    });
    this.worker.postMessage({ id, name, args });
    return { id, answer };
  }
}
