// One token through one block, station by station; its neurons; and both orders by depth.

import { strip } from "./common.bars.js";
import { axisNames, chart, levels, shape, through } from "./common.charts.js";
import { BLUE, css, ORANGE, rgb } from "./common.colors.js";
import { choice, slider } from "./common.controls.js";
import { addHeadline, el, liveRegion } from "./common.elements.js";
import { halves, onChange, setShared } from "./common.traits.js";
import { commas, labels, lengthOf, minus, percent } from "./common.words.js";
import { start } from "./start.js";

const STATIONS = [
  ["comes in", "x"],
  ["attention adds", "+ attention(x)"],
  ["sum", "x + attention(x)"],
  ["LayerNorm", "n"],
  ["feed-forward adds", "+ mlp(n)"],
  ["sum", "n + mlp(n)"],
  ["LayerNorm", "h, goes out"],
];
const BRANCHES = [1, 4]; // stations that flow in from the side
const ROW = 46; // pixels from one station to the next
const RIVER = 132; // pixels of its bed
const ORDERS = { post: ["post-LN (GPT-1)", BLUE, ""], pre: ["pre-LN (GPT-2)", ORANGE, "6 4"] };

function draw(model, root) {
  const [L, T, C] = model.get("shape");
  const names = labels(model.get("tokens"));
  const view = { model, names, L, T, C, rank: 0, dark: root.classList.contains("gx-dark") };
  view.states = halves(model, "states");
  view.neurons = halves(model, "neurons");
  for (const name of ["block", "place", "station", "std"]) view[name] = model.get(name);
  const further = () => go(view, { station: (view.station + 1) % STATIONS.length });
  view.finding = addHeadline(root, "go one step further", further);
  addControls(view, root);
  addRiver(view, root);
  view.said = liveRegion(root);
  addNeurons(view, root);
  addDepths(view, root);
  onChange(view, ["block", "place", "station"], () => show(view));
  onChange(view, ["std"], () => showDepths(view));
  show(view);
  showDepths(view);
}

function addControls(view, root) {
  const set = traits => go(view, traits);
  const many = Object.fromEntries(Array.from({ length: view.L }, (_, i) => [i, String(i)]));
  view.blocks = choice(root, "block", many, String(view.block), i => set({ block: +i }));
  view.words = choice(root, "token", { ...view.names }, String(view.place), i =>
    set({ place: +i }),
  );
  const text = i => STATIONS[i][0];
  const options = { min: 0, max: 6, step: 1, value: view.station, text };
  view.tap = slider(root, "show as far as", options, station => set({ station }));
}

function go(view, traits) {
  setShared(view, traits);
  view.rank = 0;
  show(view);
}

// ---- the numbers

const GELU_SLOPE = Math.sqrt(2 / Math.PI);
const gelu = x => 0.5 * x * (1 + Math.tanh(GELU_SLOPE * (x + 0.044715 * x ** 3)));

function stateAt({ states, block, place, T, C }, station) {
  const from = ((block * STATIONS.length + station) * T + place) * C;
  return states.subarray(from, from + C);
}

function neuronsOf({ neurons, block, place, T, C }) {
  const from = (block * T + place) * 4 * C;
  return neurons.subarray(from, from + 4 * C);
}

// ---- the river

function addRiver(view, root) {
  const box = el("div", "gx-river", root);
  const H = ROW * STATIONS.length;
  view.bed = shape("svg", box, { viewBox: `0 0 ${RIVER} ${H}`, width: RIVER, height: H });
  view.bed.setAttribute("preserveAspectRatio", "none");
  view.bed.setAttribute("aria-hidden", "true");
  view.rows = STATIONS.map(([name, formula]) => {
    const row = el("div", "gx-station", box);
    const label = el("span", "gx-what", row, name);
    el("small", "", label, formula);
    const write = strip(row, view.dark);
    return { row, write, out: el("span", "gx-num", row) };
  });
}

function show(view) {
  const { block, place, station, rows } = view;
  const states = STATIONS.map((_, i) => stateAt(view, i));
  const lengths = states.map(lengthOf);
  const top = 2.2 * Math.max(...states.map((s, i) => lengths[i] / Math.sqrt(s.length)));
  rows.forEach(({ row, write, out }, i) => {
    row.classList.toggle("gx-dry", i > station);
    const told = `${STATIONS[i][0]}: ${view.C} numbers of length ${lengths[i].toFixed(1)}`;
    write(i > station ? states[i].map(() => 0) : states[i], top, i > station ? "" : told);
    out.textContent = i > station ? "" : lengths[i].toFixed(1);
  });
  drawBed(view, lengths);
  view.blocks.set(String(block));
  view.words.set(String(place));
  view.tap.set(station);
  view.said.textContent = story(view, lengths);
  view.finding.textContent = findingOf(view, lengths);
  showNeurons(view);
}

// The trunk is as wide as the state is long; what the two parts add flows in from the left.
function drawBed({ bed, station }, lengths) {
  bed.replaceChildren();
  const scale = (RIVER - 46) / Math.max(...lengths) / 2;
  const half = i => Math.max(0.8, scale * lengths[i]);
  const middle = RIVER - 4 - (RIVER - 46) / 2;
  const y = i => ROW * (i + 0.5);
  const trunk = STATIONS.map((_, i) => i).filter(i => !BRANCHES.includes(i) && i <= station);
  const ends = i => [y(i) - ROW / 3, y(i) + ROW / 3];
  const bank = sign => [
    ...trunk.flatMap(i => ends(i).map(at => [middle + sign * half(i), at])),
    [middle + sign * half(trunk.at(-1)), y(station) + ROW / 3],
  ];
  const d = `${smooth("M", bank(-1))}${smooth("L", bank(1).reverse())}Z`;
  shape("path", bed, { d, class: "gx-water" });
  for (const i of BRANCHES.filter(branch => branch <= station)) {
    const [top, low, to] = [y(i) - half(i), y(i) + half(i), y(i + 1)];
    const left = middle - half(i + 1);
    const upper = `M0 ${top}C${0.6 * middle} ${top} ${middle} ${top + 8} ${middle} ${to}`;
    const lower = `L${left} ${to}C${left} ${low} ${0.4 * left} ${low} 0 ${low}Z`;
    const stub = `M0 ${top}H22V${low}H0Z`; // computed, and not yet added
    shape("path", bed, { d: i === station ? stub : upper + lower, class: "gx-side" });
    shape("text", bed, { x: 3, y: y(i) + 5 }, "+");
  }
}

// A path through points that runs straight down at each of them.
function smooth(start, points) {
  return points
    .map(([x, y], i) => {
      if (!i) return `${start}${x} ${y}`;
      const [x0, y0] = points[i - 1];
      return `C${x0} ${(y0 + y) / 2} ${x} ${(y0 + y) / 2} ${x} ${y}`;
    })
    .join("");
}

// Which of the two parts adds more to this token.
function findingOf({ names, block, place }, lengths) {
  const parts = [
    ["attention", lengths[1]],
    ["the feed-forward part", lengths[4]],
  ].sort((a, b) => b[1] - a[1]);
  const [[more, most], [less, least]] = parts;
  return (
    `In block ${block}, ${more} changes “${names[place]}” more than ${less}: ` +
    `${most.toFixed(1)} against ${least.toFixed(1)}.`
  );
}

function story({ names, block, place, station }, lengths) {
  const [x, adds, , n, also, , h] = lengths.map(v => v.toFixed(1));
  const parts = [
    `In block ${block}, “${names[place]}” comes in with length ${x}`,
    `attention adds ${adds}`,
    "",
    `LayerNorm brings the sum to ${n}`,
    `the feed-forward part adds ${also}`,
    "",
    `LayerNorm brings that sum to ${h}`,
  ];
  return `${parts.filter((text, i) => text && i <= station).join("; ")}.`;
}

// ---- the neurons

function addNeurons(view, root) {
  const cols = el("div", "gx-cols", root);
  const left = el("div", "", cols);
  view.count = el("p", "gx-title", left);
  const wrap = el("div", "gx-wrap gx-neurons", left);
  view.grid = el("canvas", "", wrap);
  view.grid.setAttribute("role", "img");
  view.ring = el("div", "gx-found", wrap);
  view.side = Math.ceil(Math.sqrt(4 * view.C));
  wrap.addEventListener("click", e => {
    const box = view.grid.getBoundingClientRect();
    const at = (v, from, all) => Math.floor(((v - from) / all) * view.side);
    const j = at(e.clientY, box.top, box.height) * view.side;
    pick(view, view.order.indexOf(j + at(e.clientX, box.left, box.width)));
  });
  const right = el("div", "gx-aside", cols);
  el("p", "gx-title", right, "GELU, and what the neurons computed before it");
  view.curve = chart(right, 250, 20, () => view.order && showNeurons(view));
  const text = i => `number ${i + 1} from the top`;
  const options = { min: 0, max: 4 * view.C - 1, step: 1, value: 0, text };
  view.tuner = slider(right, "neuron", options, rank => pick(view, rank));
  view.told = liveRegion(right);
}

function pick(view, rank) {
  if (rank < 0) return;
  view.rank = rank;
  showNeurons(view);
}

function showNeurons(view) {
  const numbers = neuronsOf(view);
  view.order = Array.from(numbers.keys()).sort((a, b) => numbers[b] - numbers[a]);
  const above = numbers.filter(v => v > 0).length;
  const share = `${commas(above)} of ${commas(numbers.length)} neurons`;
  view.count.textContent = `${share} are above 0 (${percent(above / numbers.length)})`;
  paintNeurons(view, numbers);
  drawCurve(view, numbers);
  view.tuner.set(view.rank);
  const j = view.order[view.rank];
  const [before, after] = [numbers[j], gelu(numbers[j])].map(v => minus(v.toFixed(2)));
  view.told.textContent = `Neuron ${j} computed ${before}; GELU passes on ${after}.`;
}

function paintNeurons({ grid, ring, side, order, rank, dark }, numbers) {
  Object.assign(grid, { width: side * 8, height: side * 8 });
  const paint = grid.getContext("2d");
  const top = Math.max(...numbers, 0.5);
  numbers.forEach((v, j) => {
    const passed = Math.max(0, gelu(v)) / top;
    paint.fillStyle = css(rgb(0.04 + 0.96 * passed, dark));
    paint.fillRect((j % side) * 8, Math.floor(j / side) * 8, 7, 7);
  });
  grid.setAttribute("aria-label", `${numbers.length} neurons, strongest ${top.toFixed(1)}`);
  const [x, y] = [order[rank] % side, Math.floor(order[rank] / side)];
  const place = `left:${(100 * x) / side}%;top:${(100 * y) / side}%`;
  ring.style.cssText = `${place};width:${100 / side}%`;
}

function drawCurve(view, numbers) {
  const { svg, L, T, bottom, right } = view.curve;
  svg.replaceChildren();
  const [low, high] = [-5, 5];
  const x = v => L + ((Math.max(low, Math.min(high, v)) - low) / (high - low)) * (right - L);
  const y = v => bottom - ((v + 0.6) / 5.8) * (bottom - T);
  const bins = new Array(40).fill(0);
  for (const v of numbers) bins[Math.max(0, Math.min(39, Math.floor((v - low) * 4)))] += 1;
  const tall = ((bottom - T) * 0.7) / Math.max(...bins);
  const wide = (right - L) / bins.length;
  bins.forEach((n, i) => {
    const box = { x: L + i * wide, y: bottom - n * tall, width: wide - 1, height: n * tall };
    shape("rect", svg, { ...box, class: i < 20 ? "gx-below" : "gx-firing" });
  });
  levels(view.curve, [0, 2, 4], y, String);
  for (const v of [-4, -2, 0, 2, 4]) {
    shape("text", svg, { x: x(v), y: bottom + 16, "text-anchor": "middle" }, minus(v));
  }
  axisNames(view.curve, "what a neuron computed", "what it passes on");
  const points = Array.from({ length: 101 }, (_, i) => low + i / 10);
  const d = through(points.map(v => [x(v), y(gelu(v))]));
  shape("path", svg, { d, class: "gx-gelu" });
  const v = numbers[view.order[view.rank]];
  shape("circle", svg, { cx: x(v), cy: y(gelu(Math.min(high, v))), r: 5, class: "gx-here" });
  svg.setAttribute("aria-label", "GELU over a histogram of what the neurons computed");
}

// ---- both orders, by depth

function addDepths(view, root) {
  const box = el("div", "gx-depths", root);
  el("p", "gx-title", box, "The same parts, untrained, in both orders: twelve blocks, 64 wide");
  view.all = view.model.get("depths");
  const text = i => view.all[i].std + like(view.all[i].std);
  const options = { min: 0, max: view.all.length - 1, step: 1, value: view.std, text };
  view.knob = slider(box, "standard deviation", options, std => {
    setShared(view, { std });
    showDepths(view);
  });
  const cols = el("div", "gx-pair", box);
  view.charts = [0, 1].map(() => chart(el("div", "", cols), 230, 96, () => showDepths(view)));
  view.deep = liveRegion(box);
}

const like = std =>
  ({
    0.02: " (for 768 wide)",
    0.07: " (the same for 64 wide)",
    0.12: " (novelist, trained)",
  })[std] ?? "";

function showDepths(view) {
  if (!view.deep) return;
  const { post, pre, std } = view.all[view.std];
  const shown = { post: post[0], pre: pre[0] };
  drawDepth(view.charts[0], shown, [0.2, 160], "length of a state");
  const shares = ([, sizes]) => sizes.map(v => v / sizes.at(-1));
  const part = { post: shares(post), pre: shares(pre) };
  drawDepth(view.charts[1], part, [0.4, 20], "gradient, last block = 1");
  view.knob.set(view.std);
  const [a, b] = [post, pre].map(([lengths]) => lengths.at(-1).toFixed(1));
  const [c, d] = [part.post, part.pre].map(([first]) => first.toFixed(1));
  view.deep.textContent =
    `With a standard deviation of ${std}, a state after block 11 has length ${a} in ` +
    `post-LN and ${b} in pre-LN. The first block gets ${c} times the gradient of the last ` +
    `in post-LN, ${d} times in pre-LN.`;
}

function drawDepth(room, lines, [low, high], name) {
  const { svg, L, T, bottom, right } = room;
  svg.replaceChildren();
  const y = v => bottom - (Math.log(v / low) / Math.log(high / low)) * (bottom - T);
  const x = i => L + (i / 11) * (right - L);
  const values = [0.5, 1, 2, 5, 10, 50, 100].filter(v => v >= low && v <= high);
  levels(room, values, y, String);
  for (const i of [0, 3, 6, 9]) {
    shape("text", svg, { x: x(i), y: bottom + 16, "text-anchor": "middle" }, i);
  }
  axisNames(room, "block", name);
  const ends = Object.keys(lines).map(order => [order, y(lines[order].at(-1))]);
  const apart = ends[0][1] - ends[1][1];
  for (const [order, end] of ends) {
    const [words, color, dash] = ORDERS[order];
    const d = through(lines[order].map((v, i) => [x(i), y(v)]));
    shape("path", svg, {
      d,
      fill: "none",
      stroke: color,
      "stroke-width": 2.4,
      "stroke-dasharray": dash,
    });
    const push =
      Math.abs(apart) < 16 ? (order === "post" ? 1 : -1) * (8 - Math.abs(apart) / 2) : 0;
    shape(
      "text",
      svg,
      { x: right + 6, y: end + 4 + push, class: "gx-strong" },
      words.split(" ")[0],
    );
  }
  svg.setAttribute("aria-label", `${name} after each of twelve blocks, in both orders`);
}

export default start(draw);
