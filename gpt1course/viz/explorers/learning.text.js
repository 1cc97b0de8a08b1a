// The text that it learns, and the flag of the reader's guess.

import { LIMITS } from "../engine/train/characters.js";
import { nameBy, slider } from "./common.controls.js";
import { el } from "./common.elements.js";
import { commas } from "./common.words.js";
import { plantFlag } from "./learning.curve.js";

export function addText(view, parent) {
  const { training } = view;
  const box = el("div", "gx-learn-text", parent);
  const label = el("label", "gx-name", box, "It learns this text, or paste your own");
  view.text = el("textarea", "gx-learn-area", box);
  nameBy(label, view.text);
  Object.assign(view.text, { spellcheck: false, dir: "auto" });
  keepOutLongTexts(view);
  view.text.addEventListener("change", () => training.begin({ text: view.text.value }));
  view.about = el("p", "gx-note", box);
  const powers = Array.from({ length: 34 }, (_, i) => Math.round(10 ** (i / 10)));
  const steps = [...new Set(powers)]; // 1, 2 and 3 once: each arrow key leads on
  const options = { min: 0, max: steps.length - 1, step: 1, text: i => commas(steps[i]) };
  const value = steps.indexOf(training.guess);
  const plant = i => plantFlag(view, steps[i]);
  view.flagSteps = steps;
  view.flag = slider(box, "first real word after", { ...options, value }, plant);
  view.guessed = el("p", "gx-note", box);
}

// A browser needs many seconds to lay out a megabyte in a field: the worker gets it all and
// says so, the field shows what is read of it.
function keepOutLongTexts(view) {
  const take = given => e => {
    const text = e[given]?.getData("text/plain") ?? "";
    if (text.length <= LIMITS.most) return;
    e.preventDefault();
    view.text.blur();
    view.training.begin({ text });
  };
  view.text.addEventListener("paste", take("clipboardData"));
  view.text.addEventListener("drop", take("dataTransfer"));
}

export function showText(view) {
  const { training, text } = view;
  view.flag.input.disabled = training.step > 0;
  view.guessed.textContent = guessOf(training);
  view.about.textContent = training.about ? inNumbers(training.about) : "";
  if (document.activeElement === text || view.textOf === training.text) return;
  view.textOf = training.text;
  text.value = training.text.slice(0, LIMITS.most);
}

function guessOf({ step, guess, hasGuessed, first }) {
  if (!step) {
    return (
      "Predict first: after how many updates does it write a word of four letters or more " +
      "from the text? Drag the flag."
    );
  }
  const guessed = hasGuessed ? `You guessed ${commas(guess)}. ` : "";
  if (!first) return `${guessed}No real word has come yet.`;
  return `${guessed}Its first real word, “${first.word}”, came after ${commas(first.step)}.`;
}

const inNumbers = ({ characters, parameters, units, n_ctx, kernel }) =>
  `${characters.length} different characters, ${commas(parameters)} parameters` +
  `${units ? ` with ${units} units` : ""}, a context of ` +
  `${n_ctx}.${kernel ? "" : " Without WebAssembly’s SIMD in this browser it is slow."}`;
