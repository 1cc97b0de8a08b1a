// A real next-token distribution under temperature, top-k and top-p; draw, or pick a word.

import { mulberry } from "../engine/numbers.js";
import { drawFrom, filtered, nucleus, probsOf } from "../engine/sample.js";
import { stretch } from "./common.bars.js";
import { choice, oneLine, rovingTabindex, slider } from "./common.controls.js";
import { addHeadline, button, el, liveRegion, setTip } from "./common.elements.js";
import { followText, request } from "./common.questions.js";
import { floats, save } from "./common.traits.js";
import {
  bitsOf,
  commas,
  evenly,
  exactly,
  isLineBreak,
  named,
  percent,
  plural,
  sum,
} from "./common.words.js";
import { start } from "./start.js";

const OFF = { temperature: 1, top_k: 0, top_p: 1 };
const AXES = { all: "0 to 100%", fit: "as far as the longest bar" };
const HINT = "Type a prompt and press Enter, or click a word below to append it.";
const LINE_ENDS =
  "“⏎” was drawn: here the model ends the line. The prompt is one line, so it stays as it is.";
const LEGEND =
  "Bar: the probability of being drawn. Line: the model's own probability, at temperature 1 " +
  "and with nothing cut. Ring: the share of the draws.";

function draw(model, root) {
  const words = model.get("words");
  const view = { model, root, words, tally: new Map(), last: [], random: mulberry(1) };
  view.shown = Math.min(16, words.length); // the rest is one more row
  view.fit = false;
  view.finding = addHeadline(root, "", () => {
    const temperature = model.get("temperature") === 1 ? 2 : 1;
    save(model, { temperature });
    moved(view);
  });
  addPrompt(view);
  addSliders(view, el("div", "", root));
  addButtons(view, el("div", "gx-choice", root));
  view.said = liveRegion(root);
  addRows(view, el("ol", "gx-bars gx-sampling", root));
  view.drawn = el("p", "gx-note", root);
  el("p", "gx-note", root, LEGEND);
  followPython(view);
  read(view);
}

function followPython(view) {
  const { model, prompt } = view;
  model.on("change:data", () => read(view));
  if (prompt) followText(model, prompt);
  for (const name of Object.keys(view.sliders)) {
    model.on(`change:${name}`, () => {
      view.sliders[name].set(model.get(name));
      moved(view);
    });
  }
}

// ---- the prompt

function addPrompt(view) {
  const { model, root } = view;
  const text = model.get("text");
  const editable = model.get("editable");
  if (editable) {
    view.prompt = el("input", "gx-prompt", el("div", "", root));
    view.prompt.value = oneLine(text);
    view.prompt.dir = "auto";
    view.prompt.setAttribute("aria-label", "prompt");
    view.prompt.addEventListener("change", () => {
      // what is typed ends with a word, whatever was appended before
      if (view.prompt.value !== model.get("text")) model.set("joined", false);
      view.ask({ text: view.prompt.value });
    });
  } else if (text) el("p", "gx-title", root, `After “${text}”`);
  const status = el("p", "gx-note gx-hint", root);
  const ask = request(model, status, "The model reads ...", editable ? HINT : "");
  view.waits = false; // for an answer: the distribution is still that of an older text
  view.ask = traits => {
    if (ask(traits)) view.waits = true;
  };
  model.on("change:answers", () => {
    view.waits = false;
  });
}

function append(view, rank) {
  const { model, prompt } = view;
  const piece = view.words[view.order[rank]];
  if (isLineBreak(piece)) {
    view.said.textContent = LINE_ENDS;
    return;
  }
  const glue = prompt.value === "" || model.get("joined") ? "" : " ";
  model.set("joined", !piece.endsWith("</w>"));
  prompt.value += glue + piece.replace("</w>", "");
  view.ask({ text: prompt.value });
}

// ---- the distribution, from the likeliest token down: no control changes their order

function read(view) {
  const logits = floats(view.model, "data");
  view.order = Uint32Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a] || a - b);
  view.sorted = Float64Array.from(view.order, id => logits[id]);
  view.own = probsOf(view.sorted);
  view.rows.slice(0, view.shown).forEach(({ word }, rank) => {
    const piece = view.words[view.order[rank]];
    word.textContent = named(piece);
    word.title = titleOf(piece);
    word.disabled = isLineBreak(piece); // where the words are buttons
  });
  view.keepStop?.();
  moved(view);
}

function titleOf(piece) {
  if (isLineBreak(piece)) return "here the model ends the line";
  return piece.endsWith("</w>") ? "" : "its word goes on";
}

// Probabilities by rank, and how many can be drawn.
function distribution(sorted, temperature, top_k, top_p) {
  const probs = probsOf(sorted, temperature);
  if (temperature === 0) return { after: probs, kept: 1 };
  const options = { top_k, top_p };
  return { after: filtered(probs, options), kept: nucleus(probs, options).length };
}

// ---- controls

function addSliders(view, parent) {
  const { model } = view;
  const add = (name, label, min, max, step, text) => {
    const options = { min, max, step, value: model.get(name), text };
    return slider(parent, label, options, v => save(model, { [name]: v }));
  };
  const warm = v => (v === 0 ? "0 (greedy)" : v.toFixed(2));
  view.sliders = {
    temperature: add("temperature", "temperature", 0, 2.5, 0.05, warm),
    top_k: add("top_k", "top-k", 0, 100, 1, v => (v ? String(v) : "off")),
    top_p: add("top_p", "top-p", 0.05, 1, 0.01, v => (v < 1 ? v.toFixed(2) : "off")),
  };
}

function addButtons(view, parent) {
  button(parent, "Draw one", () => sample(view, 1));
  button(parent, "Draw 100", () => sample(view, 100));
  if (view.prompt) {
    const write = button(parent, "Draw and append", () => {
      if (!view.waits) append(view, drawRank(view));
    });
    write.classList.add("gx-asks");
  }
  button(parent, "Reset", () => {
    view.random = mulberry(1);
    save(view.model, OFF);
    moved(view);
  });
  const axis = choice(parent, "axis", AXES, "all", which => {
    view.fit = which === "fit";
    show(view);
  });
  axis.box.style.margin = "0 0 0 1em";
}

// ---- drawing

const drawRank = view => drawFrom(view.now.after, view.random());

function sample(view, n) {
  const { tally, last } = view;
  for (let i = 0; i < n; i++) {
    const rank = drawRank(view);
    tally.set(rank, (tally.get(rank) || 0) + 1);
    last.push(rank);
  }
  last.splice(0, last.length - 12);
  show(view);
}

// Draws made under other settings say nothing about these.
function moved(view) {
  view.tally.clear();
  view.last.length = 0;
  show(view);
}

// ---- the bars

function addRows(view, list) {
  const head = el("li", "gx-head", list);
  el("span", "gx-word", head, "token");
  const axis = el("span", "gx-axis", head);
  view.ticks = [0, 0.5, 1].map(() => el("span", "", axis));
  el("span", "gx-num", head, "probability");
  view.heading = el("span", "gx-num", head);
  view.rows = [];
  for (let i = 0; i <= view.shown; i++) view.rows.push(addRow(view, list, i));
  if (view.prompt) view.keepStop = rovingTabindex(list, list.querySelectorAll("button"));
}

function addRow(view, list, rank) {
  const clickable = view.prompt && rank < view.shown;
  const li = el("li", "", list);
  const rest = rank < view.shown ? "" : "gx-rest";
  const word = el(clickable ? "button" : "span", "gx-word", li);
  if (clickable) {
    word.type = "button";
    word.addEventListener("click", () => append(view, rank));
  }
  const track = el("span", "gx-track", li);
  const [num, drawn] = [el("span", "gx-num", li), el("span", "gx-num", li)];
  return { li, rest, word, track, num, drawn };
}

function show(view) {
  const { model, words, own, shown, order } = view;
  view.now = distribution(view.sorted, ...Object.keys(OFF).map(name => model.get(name)));
  const { after } = view.now;
  const full = view.fit ? roundUp(after[0]) : 1;
  view.ticks.forEach((tick, i) => {
    tick.textContent = i ? exactly((full * i) / 2, full < 0.02 ? 2 : 0) : "0";
  });
  const total = sum([...view.tally.values()]);
  const times = rank => view.tally.get(rank) || 0;
  for (let r = 0; r < shown; r++) {
    showRow(view.rows[r], { full, after: after[r], own: own[r], times: times(r), total });
  }
  showRest(view, { full, total });
  const names = view.last.map(rank => `“${named(words[order[rank]])}”`);
  view.drawn.textContent = total ? `${commas(total)} drawn; last: ${names.join(", ")}` : "";
  view.heading.textContent = total ? "drawn (expected)" : "";
  view.said.textContent = sentence(view);
  view.finding.textContent = findingOf(view);
  const warm = model.get("temperature") === 1 ? 2 : 1;
  setTip(view.finding, `set the temperature to ${warm}`);
}

// A round number not below v.
function roundUp(v) {
  const ten = 10 ** Math.floor(Math.log10(v));
  return Math.min(1, [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find(k => k * ten >= v) * ten);
}

// Where the middle of a mark so many pixels wide stands on its track.
const middle = (share, width) => `calc(${100 * share}% + ${width * (share - 0.5)}px)`;

function showRow({ li, rest, track, num, drawn }, { full, after, own, times, total }) {
  const over = after > full;
  stretch(track, Math.min(1, after / full));
  track.style.setProperty("--line", middle(own / full, 2));
  track.style.setProperty("--ring", times ? middle(times / total / full, 10) : "-20px");
  num.textContent = percent(after) + (over ? " ▸" : "");
  drawn.textContent = total ? `${times} (${(after * total).toFixed(1)})` : "";
  li.className = `${rest} ${after === 0 ? "gx-cut" : ""} ${over ? "gx-over" : ""}`;
}

// The last row: all tokens that have none, as far as they can be drawn.
function showRest(view, { full, total }) {
  const { rows, words, shown, own, now, tally } = view;
  const { li, word } = rows[shown];
  const left = now.kept - shown;
  const [after, before] = [now.after, own].map(probs => sum(probs.subarray(shown)));
  const times = sum([...tally].filter(([rank]) => rank >= shown).map(([, n]) => n));
  li.hidden = words.length === shown;
  word.textContent = `${commas(left > 0 ? left : words.length - shown)} others`;
  showRow(rows[shown], { full, after, own: before, times, total });
}

function findingOf({ words, order, now: { after, kept } }) {
  const word = `“${named(words[order[0]])}”`;
  if (kept === 1) return `Only ${word} can be drawn.`;
  const many = `any of ${commas(kept)} tokens can be drawn`;
  return `${word} comes next with ${percent(after[0])}, and ${many}.`;
}

function sentence({ words, order, now: { after, kept } }) {
  const entropy = Math.abs(sum(after.subarray(0, kept).map(bitsOf)));
  return (
    `${commas(kept)} of ${plural(words.length, "token")} can be drawn. The likeliest is ` +
    `“${named(words[order[0]])}” with ${percent(after[0])}. Entropy ${entropy.toFixed(2)} ` +
    `bits: ${evenly(entropy)} tokens.`
  );
}

export default start(draw, "sampling");
