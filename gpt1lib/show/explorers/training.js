// A training run: curves of the loss, a slider over the steps, what the model wrote then.
const UNITS = {
  nats: ["nats per token", v => v], bits: ["bits per token", v => v / Math.LN2],
  perplexity: ["perplexity", Math.exp] };
const DASH = ["", "6 3", "2 3", "8 3 2 3"];

const short = v => v >= 1e6 ? v / 1e6 + " M" : v >= 1e4 ? v / 1e3 + " k" : v.toLocaleString("en");

function draw(model, root) {
  const W = 720, H = 330, L = 62, R = 96, T = 14, B = 44;
  let unit = model.get("unit"), scale = model.get("scale"), chosen = model.get("chosen");
  const controls = el("div", "gx-cols", root);
  choice(controls, "height", { nats: "nats", bits: "bits", perplexity: "perplexity" }, unit, v => { unit = v; keep("unit", v); });
  choice(controls, "steps", { linear: "even", log: "doubling" }, scale, v => { scale = v; keep("scale", v); });
  const svg = shape("svg", root, { viewBox: `0 0 ${W} ${H}`, role: "img", width: "100%" });
  svg.style.maxWidth = W + "px";
  const steps = () => model.get("points").map(p => p[0]);
  const drag = slider(root, "step", { min: 0, max: 1, step: 1, value: 0,
    text: i => short(steps()[i] ?? 0), help: "drag to any step of the run" }, i => { chosen = i; keep("chosen", i); });
  const said = live(root), wrote = el("blockquote", "gx-wrote", root);
  function keep(name, value) { model.set(name, value); model.save_changes(); show(); }

  function show() {
    const points = model.get("points"), heldout = model.get("heldout"), total = model.get("total");
    svg.replaceChildren();
    drag.input.max = Math.max(0, points.length - 1);
    if (!points.length) { said.textContent = "The run has not begun."; return; }
    const at = chosen < 0 ? points.length - 1 : Math.min(chosen, points.length - 1), of = UNITS[unit][1];
    drag.set(at);
    const references = Object.entries(model.get("references"));
    const first = Math.max(1, points[0][0]), last = Math.max(total, points.at(-1)[0]);
    const values = [...points, ...heldout].map(p => of(p[1])).concat(references.map(r => of(r[1])));
    const log = unit === "perplexity", seen = v => log ? Math.log10(v) : v;
    let low = Math.min(...values.map(seen)), high = Math.max(...values.map(seen));
    const room = .05 * (high - low || 1); low -= room; high += room;
    const along = s => scale === "log" ? Math.log(s / first) / Math.log(last / first || 2) : (s - first) / (last - first || 1);
    const x = s => L + (W - L - R) * along(Math.max(s, first)), y = v => T + (H - T - B) * (high - seen(v)) / (high - low);
    const grid = log ? [3, 10, 30, 100, 300, 1000, 3000, 10000].filter(v => seen(v) > low && seen(v) < high) : ticks(low, high);
    for (const v of grid) {
      shape("line", svg, { x1: L, x2: W - R, y1: y(v), y2: y(v), class: "gx-grid-line" });
      shape("text", svg, { x: L - 7, y: y(v) + 4, "text-anchor": "end" }, short(v));
    }
    const below = scale === "log" ? [1, 10, 100, 1000, 10000, 100000].filter(s => s >= first && s <= last) : ticks(first, last);
    for (const s of below) shape("text", svg, { x: x(s), y: H - B + 18, "text-anchor": "middle" }, short(s));
    shape("text", svg, { x: (L + W - R) / 2, y: H - 6, "text-anchor": "middle" }, "updates");
    shape("text", svg, { x: 14, y: (T + H - B) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(T + H - B) / 2})` }, UNITS[unit][0]);
    const ends = [];
    references.forEach(([name, v], i) => {
      shape("line", svg, { x1: L, x2: W - R, y1: y(of(v)), y2: y(of(v)), stroke: HUES[3], "stroke-dasharray": DASH[1 + i % 3] });
      ends.push([y(of(v)), name]);
    });
    [["training", points], ["held out", heldout]].forEach(([name, line], i) => {
      if (!line.length) return;
      const d = line.map((p, k) => (k ? "L" : "M") + x(p[0]).toFixed(1) + " " + y(of(p[1])).toFixed(1)).join("");
      shape("path", svg, { d, fill: "none", stroke: HUES[i], "stroke-width": i ? 2 : 1.2 });
      if (i) for (const p of line) shape("circle", svg, { cx: x(p[0]), cy: y(of(p[1])), r: 3, fill: HUES[i] });
      ends.push([y(of(line.at(-1)[1])), name]);
    });
    ends.sort((a, b) => a[0] - b[0]);
    let free = -Infinity;
    for (const [place, name] of ends) {
      free = Math.max(place + 4, free + 13);
      shape("text", svg, { x: W - R + 6, y: free }, name);
    }
    const now = points[at], value = of(now[1]);
    shape("line", svg, { x1: x(now[0]), x2: x(now[0]), y1: T, y2: H - B, class: "gx-now" });
    shape("circle", svg, { cx: x(now[0]), cy: y(value), r: 4, class: "gx-here" });
    const sample = model.get("samples").filter(s => s[0] <= now[0]).at(-1);
    const amount = unit === "perplexity" ? `perplexity is ${value.toFixed(0)}` : `loss is ${value.toFixed(2)} ${UNITS[unit][0]}`;
    said.textContent = `After ${now[0].toLocaleString("en")} updates the training ${amount}` +
      (sample ? `. What the model wrote after ${sample[0].toLocaleString("en")} updates:` : ".");
    svg.setAttribute("aria-label", said.textContent);
    wrote.textContent = sample ? sample[1] : "";
    wrote.hidden = !sample;
  }
  svg.addEventListener("click", e => {
    const box = svg.getBoundingClientRect(), share = ((e.clientX - box.left) / box.width * W - L) / (W - L - R);
    const all = steps(), first = Math.max(1, all[0]), last = Math.max(model.get("total"), all.at(-1));
    const s = scale === "log" ? first * (last / first) ** share : first + share * (last - first);
    chosen = all.reduce((best, v, i) => Math.abs(v - s) < Math.abs(all[best] - s) ? i : best, 0);
    keep("chosen", chosen);
  });
  for (const name of ["points", "heldout", "samples", "total"]) model.on("change:" + name, show);
  model.on("change:chosen", () => { if (model.get("chosen") !== chosen) { chosen = model.get("chosen"); show(); } });
  show();
}
