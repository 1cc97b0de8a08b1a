// How many parameters a GPT of these sizes has, and where they sit.

// Degrees and pixels of the stripes of each part, in the order of COLORS; null is plain.
const HATCHES = [null, [45, 6], [-45, 8], [90, 7], null, [0, 6]];
const SCALES = {
  n_layer: null, // 1 to 48
  n_embd: [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1280, 1600, 2048],
  n_ctx: [32, 64, 128, 256, 512, 1024, 2048],
  n_vocab: [64, 256, 1000, 4096, 8120, 16000, 32000, 40478, 50257, 65536],
};

function draw(model, root) {
  const configs = model.get("configs");
  const first = Object.keys(configs)[0];
  const view = { root, config: { ...configs[first] } };
  addPresets(view, configs, first);
  view.sliders = {};
  for (const size of Object.keys(SCALES)) view.sliders[size] = sizeSlider(view, size);
  const options = { true: "tied to the token embedding", false: "its own" };
  view.tied = choice(root, "output matrix", options, String(view.config.tied), key => {
    view.config.tied = key === "true";
    show(view);
  });
  view.stack = el("div", "gx-stack", root);
  view.table = el("table", "gx-table", root);
  view.said = live(root);
  view.stack.setAttribute("role", "img");
  show(view);
}

// ---- controls

function addPresets(view, configs, first) {
  const names = Object.fromEntries(Object.keys(configs).map(name => [name, name]));
  choice(view.root, "sizes of", names, first, name => {
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
  view.stack.replaceChildren();
  view.table.replaceChildren();
  Object.entries(parts).forEach(([name, n], i) => {
    addSegment(view.stack, name, n, total, i);
    addLine(view.table, name, n, total, i);
  });
  tableRow(view.table, "th", ["all", commas(total), ""]);
  const megabytes = (4 * total) / 1e6;
  const blocks = parts.attention + parts["feed-forward"] + parts.LayerNorm;
  const words =
    `${commas(total)} parameters, ` +
    `${megabytes.toLocaleString("en", { maximumFractionDigits: 1 })} MB in float32. ` +
    `The blocks hold ${percent(blocks / total, 0)} of them.`;
  view.said.textContent = words;
  view.stack.setAttribute("aria-label", words);
  view.root.dataset.total = total;
}

function stripes(hatch) {
  if (!hatch) return "none";
  const [angle, gap] = hatch;
  return `repeating-linear-gradient(${angle}deg,#fff8 0 1px,transparent 1px ${gap}px)`;
}

function addSegment(stack, name, n, total, i) {
  const segment = el("div", "", stack);
  const width = (100 * n) / total;
  segment.style.cssText = `width:${width}%;background:${stripes(HATCHES[i])},${COLORS[i]}`;
  segment.title = `${name}: ${commas(n)}`;
}

function addLine(table, name, n, total, i) {
  const row = el("tr", "", table);
  const first = el("td", "", row);
  el("span", "gx-swatch", first).style.background = COLORS[i];
  first.append(name);
  el("td", "", row, commas(n));
  el("td", "", row, percent(n / total));
}

export default start(draw);
