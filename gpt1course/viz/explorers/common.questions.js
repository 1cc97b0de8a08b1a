// What a view asks the model, and what it says meanwhile.

import { textLine } from "./common.controls.js";
import { el } from "./common.elements.js";
import { save } from "./common.traits.js";

// What is asked of the model, and what is said meanwhile: an answer is counted even where it
// changes nothing, and none at all is said, too.
export function request(model, status, doing, hint = "") {
  let late = 0;
  const say = text => {
    clearTimeout(late);
    status.textContent = text;
  };
  const answered = () => say(model.get("message") || hint);
  for (const name of ["answers", "message"]) model.on(`change:${name}`, answered);
  answered();
  return traits => {
    if (Object.entries(traits).every(([name, value]) => model.get(name) === value)) return;
    say(doing);
    late = setTimeout(() => say(SILENCE), 10_000);
    save(model, traits);
  };
}

// A text to type, the trait `text`, which the model reads.
export function promptLine(model, root) {
  const line = textLine(root, "text", model.get("text"), "4em", text => ask({ text }));
  const hint = "Type a text and press Enter.";
  const ask = request(model, el("p", "gx-note gx-hint", root), "The model reads ...", hint);
  model.on("change:text", () => {
    line.value = model.get("text");
  });
}

const SILENCE =
  "No answer yet: the kernel is busy, or was restarted. After a restart, run this cell again.";
