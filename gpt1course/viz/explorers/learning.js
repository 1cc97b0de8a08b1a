// A GPT-1, or an LSTM, that learns in the page: a text, a curve, what it writes, its heads
// and its positions.

import { isDark } from "./common.colors.js";
import { choice, slider } from "./common.controls.js";
import { addHeadline, button, el, liveRegion, setTip } from "./common.elements.js";
import { plural } from "./common.words.js";
import { addModels } from "./learning.beside.js";
import { addCurve, showCurve } from "./learning.curve.js";
import { addKeeping, showWritten } from "./learning.keep.js";
import {
  addHeads,
  addPositions,
  paletteOf,
  showHeads,
  showPositions,
} from "./learning.pictures.js";
import { addText, showText } from "./learning.text.js";
import { LEVELS, RATE, RATES, trainingOf } from "./learning.training.js";
import { addTries, addWriting, showTries, showWriting } from "./learning.words.js";
import { start } from "./start.js";

const SLOW = 1000; // milliseconds between pictures where the reader wants less motion

function draw(model, root) {
  const training = trainingOf(model, root);
  const dark = isDark(root);
  const view = { training, dark, palette: paletteOf(dark) };
  view.headline = addHeadline(root, "", () => tipOf(view).act());
  view.headline.classList.add("gx-learn-headline");
  addButtons(view, root);
  const columns = el("div", "gx-learn-learns", root);
  addText(view, columns);
  addCurve(view, columns);
  view.said = liveRegion(root);
  addWriting(view, root);
  const pictures = el("div", "gx-learn-pictures", root);
  addHeads(view, pictures);
  addPositions(view, pictures);
  addStages(view, root);
  addKeeping(view, root);
  addSizes(view, root);
  addTries(view, root);
  addFootnote(root);
  training.draw = painter(() => showAll(view));
  setTip(view.headline, tipOf(view).text);
  if (training.about || training.refused) showAll(view);
  else training.begin();
  model.on("change:text", () => training.begin({ text: model.get("text") }));
}

// Draws once a frame at most, and once a second where the reader wants less motion.
function painter(paint) {
  let isDue = false;
  let last = Number.NEGATIVE_INFINITY;
  return isUrgent => {
    if (isUrgent) return paint();
    if (isDue) return;
    isDue = true;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const wait = still ? Math.max(0, last + SLOW - performance.now()) : 0;
    setTimeout(() => {
      requestAnimationFrame(() => {
        isDue = false;
        last = performance.now();
        paint();
      });
    }, wait);
  };
}

// ---- controls

function addButtons(view, root) {
  const { training } = view;
  const row = el("div", "gx-learn-actions", root);
  view.go = button(row, "Start", () =>
    training.isOver ? training.begin() : training.run(!training.isRunning),
  );
  view.go.classList.add("gx-learn-primary");
  button(row, "Begin again", () => training.begin());
  button(row, "Another seed", () => training.begin({ seed: training.settings.seed + 1 }));
  view.models = addModels(view, row);
  const help = "Adam’s rate at its peak; it rises over 50 updates and then falls as a cosine";
  const options = { min: 0, max: RATES.length - 1, step: 1, text: i => String(RATES[i]), help };
  const value = RATES.indexOf(training.settings.rate);
  view.rate = slider(row, "learning rate", { ...options, value }, i =>
    training.setRate(RATES[i]),
  );
}

function addStages(view, root) {
  const { training } = view;
  const text = i => (training.stages[i] ? plural(training.stages[i].step, "update") : "0");
  const pick = i => {
    training.at = i >= training.stages.length - 1 ? -1 : i;
    showAll(view);
  };
  view.stages = slider(
    root,
    "back through its stages",
    { min: 0, max: 0, step: 1, value: 0, text },
    pick,
  );
  view.stages.row.classList.add("gx-learn-along");
}

function addSizes(view, root) {
  const { training } = view;
  const box = el("div", "gx-cols", root);
  view.sizes = {};
  const same = values => Object.fromEntries(values.map(v => [`v${v}`, String(v)]));
  for (const [name, key, values] of [
    ["blocks", "n_layer", [1, 2, 3, 4]],
    ["width", "n_embd", [16, 32, 48, 64, 96]],
  ]) {
    const pick = picked => training.begin({ [key]: +picked.slice(1) });
    view.sizes[key] = choice(box, name, same(values), `v${training.settings[key]}`, pick);
  }
}

function addFootnote(root) {
  const told =
    "Tokens are the characters of the text, the most frequent first. The model is GPT-1 in " +
    "small: LayerNorm after each sum, learned positions, GELU, and the token table as output " +
    "matrix; no dropout. It reads the text again and again, so in the end it knows it by " +
    "heart: a loss far below letter pairs says nothing about another text. The LSTM is " +
    "the one that the paper compares with, of a single layer. It has as many units as it " +
    "takes to match the parameters of the GPT-1 with these blocks and this width.";
  el("p", "gx-note", root, told);
}

// ---- all that is shown

function showAll(view) {
  const { training } = view;
  view.headline.textContent = headline(training);
  setTip(view.headline, tipOf(view).text);
  view.go.textContent = nameOfGo(training);
  view.go.disabled = Boolean(training.refused) || !training.about;
  const said = training.refused || training.told || training.about?.note || "";
  if (view.said.textContent !== said) view.said.textContent = said;
  showText(view);
  showCurve(view);
  showWriting(view);
  showHeads(view);
  showPositions(view);
  showStages(view);
  showSettings(view);
  showTries(view);
  showWritten(view);
}

function nameOfGo(training) {
  if (training.isOver) return "Again";
  if (training.isRunning) return "Pause";
  return training.step ? "Go on" : "Start";
}

function headline({ about, step, smooth, refused, settings }) {
  if (refused) return "This text cannot be learned.";
  if (!about) return "The text is read ...";
  const name = settings.model === "gpt" ? "A GPT-1" : "An LSTM";
  if (!step) return `${name} of random numbers. Press Start, and it learns while you watch.`;
  if (smooth === undefined) return `A model that had learned for ${plural(step, "update")}.`;
  const below = Object.keys(LEVELS)
    .filter(key => smooth < about.levels[key])
    .at(-1);
  const where = below ? `, below ${LEVELS[below]}` : "";
  return `After ${plural(step, "update")}: ${smooth.toFixed(2)} nats per character${where}.`;
}

// What to try now: to let it learn, then a rate ten times as high, then another beginning.
function tipOf({ training, rate }) {
  if (training.refused) {
    const text = "the passage of the course";
    return { text, act: () => training.begin({ text: training.model.get("text") }) };
  }
  if (training.hasDiverged) {
    const text = `begin again with a rate of ${RATE}`;
    return { text, act: () => training.begin({ rate: RATE }) };
  }
  const higher = RATES.indexOf(training.settings.rate) + 4; // 1, 2, 3, 5 in each power of ten
  if (training.isOver && training.settings.model === "gpt" && training.losses.length) {
    const text = "an LSTM of the same size on the same text";
    return { text, act: () => training.begin({ model: "lstm" }) };
  }
  if (training.isOver || higher >= RATES.length) {
    const text = "begin again from another seed";
    return { text, act: () => training.begin({ seed: training.settings.seed + 1 }) };
  }
  if (!training.isRunning) {
    return {
      text: "let it learn, and see which levels it passes",
      act: () => training.run(true),
    };
  }
  const act = () => {
    rate.set(higher);
    training.setRate(RATES[higher]);
  };
  return { text: "a learning rate ten times as high", act };
}

// Sizes and rate may come from a file.
function showSettings({ training, sizes, rate, models }) {
  models.set(training.settings.model);
  for (const [key, picker] of Object.entries(sizes)) {
    const name = String(training.settings[key]);
    if (picker.box.querySelector("[aria-checked=true]")?.textContent !== name)
      picker.set(`v${name}`);
  }
  const at = RATES.indexOf(training.settings.rate);
  if (+rate.input.value !== at) rate.set(at);
}

function showStages({ training, stages }) {
  const last = Math.max(0, training.stages.length - 1);
  stages.input.max = last;
  stages.input.disabled = !last;
  stages.set(training.at < 0 ? last : training.at);
}

export default start(draw);
