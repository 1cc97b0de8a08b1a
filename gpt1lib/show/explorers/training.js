// A training run: curves of the loss, a slider over the steps, what the model wrote then.

const UNITS = {
  nats: ["nats per token", v => v],
  bits: ["bits per token", v => v / Math.LN2],
  perplexity: ["perplexity", Math.exp],
};
const NAMES = { nats: "nats", bits: "bits", perplexity: "perplexity" };
const DASHES = ["6 3", "2 3", "8 3 2 3"]; // of the references
const PERPLEXITIES = [3, 10, 30, 100, 300, 1000, 3000, 10000];
const DECADES = [1, 10, 100, 1000, 10000, 100000];

function draw(model, root) {
  const view = { model, unit: model.get("unit"), scale: model.get("scale") };
  view.chosen = model.get("chosen");
  addControls(view, root);
  for (const name of ["points", "heldout", "samples", "total"]) {
    model.on(`change:${name}`, () => show(view));
  }
  follow(view, ["chosen"], () => show(view));
  show(view);
}

// ---- controls

function addControls(view, root) {
  const { model } = view;
  const set = traits => {
    keep(view, traits);
    show(view);
  };
  const controls = el("div", "gx-cols", root);
  choice(controls, "height", NAMES, view.unit, unit => set({ unit }));
  const scales = { linear: "even", log: "doubling" };
  choice(controls, "steps", scales, view.scale, scale => set({ scale }));
  view.chart = chart(root, 330, 96);
  view.chart.svg.addEventListener("click", e => set({ chosen: lineUnder(view, e) }));
  const text = i => short(model.get("points")[i]?.[0] ?? 0);
  const help = "drag to any step of the run";
  const options = { min: 0, max: 1, step: 1, value: 0, text, help };
  view.drag = slider(root, "step", options, chosen => set({ chosen }));
  view.said = live(root);
  view.wrote = el("blockquote", "gx-wrote", root);
}

// The index of the line of the log that is nearest to a click.
function lineUnder({ model, chart, scale }, e) {
  const { svg, W, L, right } = chart;
  const box = svg.getBoundingClientRect();
  const share = (((e.clientX - box.left) / box.width) * W - L) / (right - L);
  const steps = model.get("points").map(point => point[0]);
  const first = Math.max(1, steps[0]);
  const last = Math.max(model.get("total"), steps.at(-1));
  const step =
    scale === "log" ? first * (last / first) ** share : first + share * (last - first);
  const away = (i, s) => Math.abs(s - step) < Math.abs(steps[i] - step);
  return steps.reduce((best, s, i) => (away(best, s) ? i : best), 0);
}

// ---- the chart

function short(v) {
  if (v >= 1e6) return `${v / 1e6} M`;
  return v >= 1e4 ? `${v / 1e3} k` : commas(v);
}

function show(view) {
  const { model, drag } = view;
  const points = model.get("points");
  view.chart.svg.replaceChildren();
  drag.input.max = Math.max(0, points.length - 1);
  if (!points.length) {
    view.said.textContent = "The run has not begun.";
    return;
  }
  const at = view.chosen < 0 ? points.length - 1 : Math.min(view.chosen, points.length - 1);
  drag.set(at);
  const run = readRun(view, points);
  drawScales(view, run);
  writeEnds(view.chart, [...drawReferences(view, run), ...drawCurves(view, run)]);
  drawNow(view, run, points[at]);
  tell(view, points[at]);
}

// All lines of the run in the unit of this view, and where they stand in the chart.
function readRun({ model, chart, unit, scale }, points) {
  const { L, T, right, bottom } = chart;
  const of = UNITS[unit][1];
  const heldout = model.get("heldout");
  const references = Object.entries(model.get("references"));
  const first = Math.max(1, points[0][0]);
  const last = Math.max(model.get("total"), points.at(-1)[0]);
  const seen = v => (unit === "perplexity" ? Math.log10(v) : v);
  const all = [...points, ...heldout, ...references].map(line => seen(of(line[1])));
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const room = 0.05 * (most - least || 1);
  const [low, high] = [least - room, most + room];
  const along = s =>
    scale === "log"
      ? Math.log(s / first) / Math.log(last / first || 2)
      : (s - first) / (last - first || 1);
  const x = s => L + (right - L) * along(Math.max(s, first));
  const y = v => T + ((bottom - T) * (high - seen(v))) / (high - low);
  return { points, heldout, references, of, seen, first, last, low, high, x, y };
}

function drawScales({ chart, unit, scale }, { seen, first, last, low, high, x, y }) {
  const { svg, bottom } = chart;
  const inside = PERPLEXITIES.filter(v => seen(v) > low && seen(v) < high);
  levels(chart, unit === "perplexity" ? inside : ticks(low, high), y, short);
  const decades = DECADES.filter(s => s >= first && s <= last);
  for (const s of scale === "log" ? decades : ticks(first, last)) {
    shape("text", svg, { x: x(s), y: bottom + 18, "text-anchor": "middle" }, short(s));
  }
  axisNames(chart, "updates", UNITS[unit][0]);
}

// Level lines; returns where each one ends, and its name.
function drawReferences({ chart }, { references, of, y }) {
  const { svg, L, right } = chart;
  return references.map(([name, nats], i) => {
    const height = y(of(nats));
    const line = { x1: L, x2: right, y1: height, y2: height };
    shape("line", svg, { ...line, stroke: HUES[3], "stroke-dasharray": DASHES[i % 3] });
    return [height, name];
  });
}

function drawCurves({ chart }, { points, heldout, of, x, y }) {
  const { svg } = chart;
  const ends = [];
  const curve = (name, lines, hue, width) => {
    if (!lines.length) return;
    const d = through(lines.map(([step, nats]) => [x(step), y(of(nats))]));
    shape("path", svg, { d, fill: "none", stroke: hue, "stroke-width": width });
    ends.push([y(of(lines.at(-1)[1])), name]);
  };
  curve("training", points, HUES[0], 1.2);
  curve("held out", heldout, HUES[1], 2);
  for (const [step, nats] of heldout) {
    shape("circle", svg, { cx: x(step), cy: y(of(nats)), r: 3, fill: HUES[1] });
  }
  return ends;
}

// Names at the ends of their lines, moved apart where they would touch.
function writeEnds({ svg, right }, ends) {
  ends.sort((a, b) => a[0] - b[0]);
  let free = -Infinity;
  for (const [height, name] of ends) {
    free = Math.max(height + 4, free + 13);
    shape("text", svg, { x: right + 6, y: free }, name);
  }
}

function drawNow({ chart }, { of, x, y }, [step, nats]) {
  const { svg, T, bottom } = chart;
  shape("line", svg, { x1: x(step), x2: x(step), y1: T, y2: bottom, class: "gx-now" });
  shape("circle", svg, { cx: x(step), cy: y(of(nats)), r: 4, class: "gx-here" });
}

// ---- the words

function tell({ model, chart, unit, said, wrote }, [step, nats]) {
  const [name, of] = UNITS[unit];
  const value = of(nats);
  const sample = model.get("samples").findLast(([s]) => s <= step);
  const amount =
    unit === "perplexity"
      ? `perplexity is ${value.toFixed(0)}`
      : `loss is ${value.toFixed(2)} ${name}`;
  const more = sample ? ` What the model wrote after ${commas(sample[0])} updates:` : "";
  said.textContent = `After ${commas(step)} updates the training ${amount}.${more}`;
  chart.svg.setAttribute("aria-label", said.textContent);
  wrote.textContent = sample ? sample[1] : "";
  wrote.hidden = !sample;
}

export default start(draw);
