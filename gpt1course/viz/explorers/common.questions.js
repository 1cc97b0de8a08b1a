// What a view asks the model, and what it says meanwhile.

import { oneLine, textLine } from "./common.controls.js";
import { el } from "./common.elements.js";
import { save } from "./common.traits.js";

// What is asked of the model, and what is said meanwhile: an answer is counted even where it
// changes nothing, and none at all is said, too. Returns what asks: true unless that was asked
// last.
export function request(model, status, doing, hint = "") {
  let late = 0;
  const say = (text, live) => {
    clearTimeout(late);
    status.setAttribute("aria-live", live);
    status.textContent = text;
  };
  // what went wrong is spoken, a hint that was there before is not
  const answered = () =>
    model.get("message") ? say(model.get("message"), "polite") : say(hint, "off");
  for (const name of ["answers", "message"]) model.on(`change:${name}`, answered);
  answered();
  return traits => {
    const isKnown = ([name, value]) =>
      JSON.stringify(model.get(name)) === JSON.stringify(value);
    if (Object.entries(traits).every(isKnown)) return false;
    say(doing, "off");
    late = setTimeout(() => say(SILENCE, "polite"), 10_000);
    save(model, traits);
    return true;
  };
}

// A text to type, the trait `text`, which the model reads.
export function promptLine(model, root) {
  const line = textLine(root, "text", model.get("text"), "4em", text => ask({ text }));
  const hint = "Type a text and press Enter.";
  const ask = request(model, el("p", "gx-note gx-hint", root), "The model reads ...", hint);
  followText(model, line);
}

// The field shows the trait `text` whoever sets it.
export function followText(model, field) {
  model.on("change:text", () => {
    field.value = oneLine(model.get("text"));
  });
}

const SILENCE =
  "No answer yet: the kernel is busy, or was restarted. After a restart, run this cell again.";
