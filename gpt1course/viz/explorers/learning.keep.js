// A model that has learned is kept as a file, read again, and written with.

import { nameBy } from "./common.controls.js";
import { button, el } from "./common.elements.js";
import { download } from "./common.files.js";

const KINDS = {
  gpt: "a GPT-1 that learned in a page of the course, 1",
  lstm: "an LSTM that learned in a page of the course, 1",
};
const FILES = { gpt: "gpt1_in_the_page.json", lstm: "lstm_in_the_page.json" };

export function addKeeping(view, root) {
  const { training } = view;
  const box = el("div", "gx-learn-keeping", root);
  el("h4", "gx-learn-part", box, "Write with it, and keep it");
  const row = el("div", "gx-learn-actions", box);
  const label = el("label", "gx-name", row, "it goes on from");
  view.prompt = el("input", "gx-learn-from", row); // no gx-prompt: it asks no other model
  nameBy(label, view.prompt);
  Object.assign(view.prompt, { spellcheck: false, dir: "auto" });
  view.prompt.addEventListener("change", () => training.write(view.prompt.value));
  button(row, "Let it write", () => training.write(view.prompt.value));
  button(row, "Save the model", () => training.send("keep"));
  const file = el("input", "", null);
  Object.assign(file, { type: "file", accept: ".json", hidden: true });
  file.addEventListener("change", () => readModel(training, file));
  box.append(file);
  button(row, "Load one", () => file.click());
  view.written = el("p", "gx-learn-wrote gx-learn-written", box);
}

export function showWritten(view) {
  const { training, written } = view;
  if (view.promptOf !== training.text) {
    view.promptOf = training.text;
    view.prompt.value = `${training.text.match(/\S{1,40}/)?.[0] ?? ""} `;
  }
  written.textContent = training.written?.replaceAll("\n", "⏎") ?? "";
}

// As a file of the reader's: what it read, and its weights as base64 of little-endian float32.
export function saveFile({ weights, ...told }) {
  const code = btoa(
    Array.from(new Uint8Array(weights.buffer), b => String.fromCharCode(b)).join(""),
  );
  const file = new Blob([
    JSON.stringify({ kind: KINDS[told.settings.model], ...told, weights: code }),
  ]);
  download(FILES[told.settings.model], file);
}

async function readModel(training, input) {
  const [file] = input.files;
  input.value = ""; // the same file may be chosen again
  if (!file) return;
  try {
    training.fileName = file.name;
    training.load(savedIn(await file.text()), file.name);
  } catch (error) {
    training.isNoModel(error.message);
  }
}

// What a file has kept; an Error says why it is not such a file.
function savedIn(text) {
  const { kind, weights, ...told } = parsed(text) ?? {};
  if (!kind || kind !== KINDS[told.settings?.model ?? "gpt"])
    throw new Error("it does not say that it is one");
  return { ...told, weights: numbersOf(weights) };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it is not JSON");
  }
}

function numbersOf(weights) {
  try {
    const code = Uint8Array.from(atob(weights), c => c.charCodeAt(0));
    return new Float32Array(code.buffer);
  } catch {
    throw new Error("its weights cannot be read");
  }
}
