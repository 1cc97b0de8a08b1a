// How many parameters a GPT of these sizes has, and where they sit.

import { stretch } from "./common.bars.js";
import { ink, ROLES } from "./common.colors.js";
import { choice, slider } from "./common.controls.js";
import { addHeadline, el, liveRegion, setTip, tableRow } from "./common.elements.js";
import { capital, commas, percent, rounded, sum } from "./common.words.js";
import { start } from "./start.js";

const SIZES = [3, 9]; // powers of ten at the ends of the axis of sizes
const SCALES = {
  n_layer: null, // 1 to 48
  n_embd: [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1280, 1600, 2048],
  n_ctx: [32, 64, 128, 256, 512, 1024, 2048],
  n_vocab: [64, 256, 1000, 4096, 8120, 16000, 32000, 40478, 50257, 65536],
};

function draw(model, root) {
  const configs = model.get("configs");
  const first = Object.keys(configs)[0];
  const view = { root, configs, config: { ...configs[first] } };
  view.finding = addHeadline(root, "", () => {
    view.config.tied = !view.config.tied;
    view.tied.set(String(view.config.tied));
    show(view);
  });
  addPresets(view, configs, first);
  view.sliders = {};
  for (const size of Object.keys(SCALES)) view.sliders[size] = sizeSlider(view, size);
  const options = { true: "tied to the token embedding", false: "its own" };
  view.tied = choice(root, "output matrix", options, String(view.config.tied), key => {
    view.config.tied = key === "true";
    show(view);
  });
  el("p", "gx-title", root, "Where they are");
  view.stack = el("div", "gx-parts", root);
  addSizes(view, configs);
  view.table = el("table", "gx-table", root);
  view.said = liveRegion(root);
  view.stack.setAttribute("role", "img");
  show(view);
}

// ---- how many, beside the models that are known: each step is ten times as many

function addSizes({ root }, configs) {
  el("p", "gx-title", root, "How many: each step is ten times as many");
  const axis = el("div", "gx-sizes", root);
  el("div", "gx-track", axis);
  for (let power = SIZES[0]; power <= SIZES[1]; power++) {
    const text = ["1", "10", "100"][power % 3] + ["", " k", " M", " B"][Math.floor(power / 3)];
    place(el("small", "", axis, text), 10 ** power);
  }
  for (const [name, config] of Object.entries(configs)) {
    place(el("b", "", axis, name), sum(Object.values(count(config))));
  }
}

const sizeShare = n => (Math.log10(n) - SIZES[0]) / (SIZES[1] - SIZES[0]);

function place(label, n) {
  label.style.left = `${100 * sizeShare(n)}%`;
}

// ---- controls

function addPresets(view, configs, first) {
  const names = Object.fromEntries(Object.keys(configs).map(name => [name, name]));
  view.presets = choice(view.root, "sizes of", names, first, name => {
    view.config = { ...configs[name] };
    for (const [size, control] of Object.entries(view.sliders)) {
      control.set(placeOf(size, view.config[size]));
    }
    view.tied.set(String(view.config.tied));
    show(view);
  });
}

function sizeSlider(view, size) {
  const list = SCALES[size];
  const value = placeOf(size, view.config[size]);
  const [min, max] = list ? [0, list.length - 1] : [1, 48];
  const text = v => commas(list ? list[v] : v);
  return slider(view.root, size, { min, max, step: 1, value, text }, v => {
    view.config[size] = list ? list[v] : v;
    show(view);
  });
}

// Where a size stands on its slider: at the nearest of the values.
function placeOf(size, value) {
  const list = SCALES[size];
  if (!list) return value;
  const away = list.map(v => Math.abs(v - value));
  return away.indexOf(Math.min(...away));
}

const isAs = (one, other) => Object.keys(one).every(size => one[size] === other[size]);

// ---- the parts

// The twin of parameter_parts in parameters.py.
function count({ n_layer: L, n_embd: C, n_ctx, n_vocab, tied }) {
  return {
    "token embedding": n_vocab * C,
    positions: n_ctx * C,
    attention: L * (4 * C * C + 4 * C),
    "feed-forward": L * (8 * C * C + 5 * C),
    LayerNorm: L * 4 * C,
    "output matrix": tied ? 0 : n_vocab * C,
  };
}

function show(view) {
  const parts = count(view.config);
  const total = sum(Object.values(parts));
  stretch(
    view.root.querySelector(".gx-sizes .gx-track"),
    Math.max(0, Math.min(1, sizeShare(total))),
  );
  view.stack.replaceChildren();
  view.table.replaceChildren();
  for (const [name, n] of Object.entries(parts)) {
    if (!n) continue;
    addSegment(view.stack, name, n, total);
    addLine(view.table, name, n, total);
  }
  tableRow(view.table, "th", ["all", commas(total), ""]);
  const megabytes = (4 * total) / 1e6;
  const blocks = parts.attention + parts["feed-forward"] + parts.LayerNorm;
  const words =
    `${commas(total)} parameters, ` +
    `${megabytes.toLocaleString("en", { maximumFractionDigits: 1 })} MB in float32. ` +
    `The blocks have ${rounded(blocks / total)} of them.`;
  view.said.textContent = words;
  const known = Object.keys(view.configs).find(name => isAs(view.configs[name], view.config));
  markPreset(view, known);
  const whose = known ? capital(known) : "A model of these sizes";
  const share = `${rounded(blocks / total)} of them in the blocks`;
  view.finding.textContent = `${whose} has ${commas(total)} parameters, ${share}.`;
  const tip = view.config.tied ? "give it an output matrix of its own" : "tie both matrices";
  setTip(view.finding, tip);
  view.stack.setAttribute("aria-label", words);
}

// The model whose sizes these are, or none; the first one can be reached by keyboard then.
function markPreset({ presets }, known) {
  presets.set(known);
  if (!known) presets.box.querySelector("[role=radio]").tabIndex = 0;
}

// Its name stands in it where there is room, and in the table always.
function addSegment(stack, name, n, total) {
  const segment = el("div", "", stack, n / total > 0.12 ? `${name} ${rounded(n / total)}` : "");
  const color = ROLES[name];
  segment.style.cssText = `width:${(100 * n) / total}%;background:${color}`;
  segment.style.color = ink([1, 3, 5].map(k => Number.parseInt(color.slice(k, k + 2), 16)));
  segment.title = `${name}: ${commas(n)}`;
}

function addLine(table, name, n, total) {
  const row = el("tr", "", table);
  const first = el("td", "", row);
  el("span", "gx-swatch", first).style.background = ROLES[name];
  first.append(name);
  el("td", "", row, commas(n));
  el("td", "", row, percent(n / total));
}

export default start(draw);
