// Loss over size on logarithmic axes: three sizes are shown, the reader draws the others, then
// the measured ones appear, with a line through the first and what it says far beyond.

import { axisNames, chart, levels, shape, through } from "./common.charts.js";
import { choice, slider } from "./common.controls.js";
import { addHeadline, button, el, liveRegion, setTip } from "./common.elements.js";
import { onChange, save, setShared } from "./common.traits.js";
import { commas, plural, rounded, sum } from "./common.words.js";
import { fitLine } from "./scaling.fit.js";
import { start } from "./start.js";

const FIRST = 3; // sizes that are shown at once
const ENDS = ["pointerup", "pointercancel"]; // of a drag
const NUDGE = 0.02; // nats, for an arrow key
const NOTE =
  "Blue discs: the line is fitted to them. Diamonds: measured, but not used for it. Small " +
  "open circles: the other amounts of text. Gray: beyond the fit.";
const ASK =
  "Three sizes are shown. Drag the rings, or move them by the arrow keys, to where you " +
  "expect the larger models; then press the button.";

function draw(model, root) {
  const view = { model, root, names: model.get("names"), all: model.get("points") };
  for (const name of ["amount", "used", "size", "shown"]) view[name] = model.get(name);
  view.finding = addHeadline(root, "", () => {
    if (!view.shown) return set(view, { shown: true });
    return set(view, { used: usedOf(view) === FIRST ? pointsOf(view).length : FIRST });
  });
  addControls(view);
  view.chart = chart(el("div", "gx-scaling", root), 360, 26, () => show(view));
  // no picture for a reader of screens: its rings are controls
  view.chart.svg.setAttribute("role", "group");
  view.chart.svg.setAttribute("aria-label", "held-out loss over parameters");
  view.said = liveRegion(root);
  view.note = el("p", "gx-note", root, NOTE);
  const again = { shown: false, guesses: [], amount: 0 };
  view.again = button(root, "Draw again", () => replace(view, again, view.reveal));
  onChange(view, ["amount", "used", "size", "shown"], () => show(view));
  view.model.on("change:guesses", () => show(view));
  show(view);
}

const pointsOf = view => view.all[view.amount];
const usedOf = view => Math.min(view.used, pointsOf(view).length);

function addControls(view) {
  const { root, names } = view;
  view.top = el("div", "gx-cols", root);
  view.reveal = button(view.top, "Show what was measured", () =>
    replace(view, { shown: true }, view.again),
  );
  view.after = el("div", "", root);
  const amounts = Object.fromEntries(names.map((name, i) => [`a${i}`, name]));
  view.picker = choice(view.after, "text", amounts, `a${view.amount}`, key =>
    set(view, { amount: +key.slice(1) }),
  );
  const most = Math.max(...view.all.map(points => points.length));
  const some = {
    min: FIRST,
    max: most,
    step: 1,
    value: view.used,
    text: n => `the first ${n}`,
  };
  view.uses = slider(view.after, "fit through", some, used => set(view, { used }));
  const far = { min: 4, max: 9, step: 0.05, value: Math.log10(view.size), text: sizeText };
  view.asks = slider(view.after, "ask at N =", far, v => set(view, { size: 10 ** v }));
}

function set(view, traits) {
  setShared(view, traits);
  show(view);
}

// A button that is hidden by what it does gives the focus to the one that undoes it.
function replace(view, traits, other) {
  set(view, traits);
  other.focus({ preventScroll: true });
}

// 10 to the v in words: 25 thousand, 3.2 million.
function sizeText(v) {
  const n = 10 ** v;
  if (n >= 1e9) return "1 billion";
  const [count, unit] = n < 1e6 ? [n / 1e3, "thousand"] : [n / 1e6, "million"];
  return `${+(count < 10 ? count.toFixed(1) : count.toFixed(0))} ${unit}`;
}

const SHORT = { 4: "10k", 5: "100k", 6: "1M", 7: "10M", 8: "100M", 9: "1B" };

// ---- the picture

// Room for all that was measured, and for what the line says far beyond it.
function scales(view, line) {
  const { L, T, right, bottom } = view.chart;
  const most = view.shown ? Math.max(view.size, 1e7) : 1e7;
  const ends = [4, Math.log10(most) + 0.15];
  const nats = view.all.flat().map(point => point[1]);
  const low = Math.min(0.8 * Math.min(...nats), line ? 0.9 * line.at(most)[0] : 99);
  const high = 1.15 * Math.max(...nats);
  const x = n => L + ((right - L) * (Math.log10(n) - ends[0])) / (ends[1] - ends[0]);
  const up = v => Math.log(high / v) / Math.log(high / low);
  const y = v => T + (bottom - T) * up(Math.min(high, Math.max(low, v)));
  const back = py => high / (high / low) ** ((py - T) / (bottom - T));
  return { x, y, back, low, high, ends };
}

function show(view) {
  const { chart: room, shown, model } = view;
  // else its sliders could be moved, and nothing would be seen to change
  if (!shown) view.after.remove();
  // put there once: moved again, it would lose the focus
  else if (!view.after.isConnected) view.top.after(view.after);
  view.reveal.hidden = shown;
  view.note.hidden = !shown;
  view.picker.set(`a${view.amount}`);
  view.uses.set(usedOf(view));
  view.asks.set(Math.log10(view.size));
  const held = room.svg.contains(document.activeElement)
    ? document.activeElement.dataset.at
    : undefined;
  room.svg.replaceChildren();
  const line = shown ? fitLine(pointsOf(view).slice(0, usedOf(view)), model.get("t_95")) : null;
  const scale = scales(view, line);
  drawAxes(view, scale);
  if (line) drawLine(view, scale, line);
  drawGuesses(view, scale);
  drawPoints(view, scale);
  if (held) room.svg.querySelector(`[data-at="${held}"]`)?.focus();
  // before anything is drawn there is nothing to draw again
  view.again.hidden = !shown && !model.get("guesses").length;
  showFinding(view, line);
  view.said.textContent = line ? whatLineSays(view, line) : ASK;
}

function drawAxes({ chart: room }, { x, y, low, high, ends }) {
  const { svg, bottom, T } = room;
  const marks = Array.from({ length: 15 }, (_, i) => (i + 2) / 2);
  const inside = marks.filter(v => v >= low && v <= high);
  levels(room, inside, y, String);
  for (let e = 4; e <= ends[1]; e++) {
    shape("line", svg, {
      x1: x(10 ** e),
      x2: x(10 ** e),
      y1: T,
      y2: bottom,
      class: "gx-grid-line",
    });
    const at = { x: x(10 ** e), y: bottom + 18, "text-anchor": "middle" };
    shape("text", svg, at, SHORT[e]);
  }
  axisNames(room, "parameters without embeddings, N", "held-out loss, nats per token");
}

function drawLine(view, { x, y, ends }, line) {
  const { svg, T, bottom, right } = view.chart;
  const points = pointsOf(view);
  const last = points[usedOf(view) - 1][0];
  const wide = right - x(last);
  shape("rect", svg, { x: x(last), y: T, width: wide, height: bottom - T, class: "gx-beyond" });
  const steps = Array.from({ length: 41 }, (_, i) => 10 ** (4 + ((ends[1] - 4) * i) / 40));
  const edge = k => steps.map(n => [x(n), y(line.at(n)[k])]);
  const band = `${through(edge(1))}${through(edge(2).reverse()).replace("M", "L")}Z`;
  shape("path", svg, { d: band, class: "gx-band" });
  shape("path", svg, { d: through(edge(0)), class: "gx-law" });
  const [middle] = line.at(view.size);
  const at = { x1: x(view.size), x2: x(view.size), y1: y(middle), y2: bottom, class: "gx-now" };
  shape("line", svg, at);
  shape("circle", svg, { cx: x(view.size), cy: y(middle), r: 5, class: "gx-here" });
}

function drawPoints(view, { x, y }) {
  const { svg } = view.chart;
  const used = view.shown ? usedOf(view) : FIRST;
  const others = view.shown ? view.all.filter((_, i) => i !== view.amount) : [];
  for (const [n, nats] of others.flat()) {
    shape("circle", svg, { cx: x(n), cy: y(nats), r: 3, class: "gx-other" });
  }
  pointsOf(view).forEach(([n, nats], i) => {
    if (i >= FIRST && !view.shown) return;
    const cls = i < used ? "gx-fitted" : "gx-later";
    const [cx, cy] = [x(n), y(nats)];
    if (i < used) shape("circle", svg, { cx, cy, r: 5, class: cls });
    else shape("path", svg, { d: `M${cx} ${cy - 7}l7 7l-7 7l-7 -7Z`, class: cls });
    const label = { x: cx, y: cy - 12, "text-anchor": "middle" };
    shape("text", svg, label, nats.toFixed(2));
  });
}

// ---- what the reader draws

// Where nothing is drawn yet, the rings lie level with the last size that is shown.
function guessesOf({ all, model }) {
  const given = model.get("guesses");
  const level = all[0][FIRST - 1][1];
  return all[0].slice(FIRST).map((_, i) => given[i] ?? level);
}

function drawGuesses(view, scale) {
  const { svg } = view.chart;
  if (view.amount || (view.shown && !view.model.get("guesses").length)) return;
  const known = view.all[0];
  const drawn = guessesOf(view).map((nats, i) => [known[FIRST + i][0], nats]);
  const path = [known[FIRST - 1], ...drawn].map(([n, nats]) => [scale.x(n), scale.y(nats)]);
  shape("path", svg, { d: through(path), class: "gx-drawn" });
  drawn.forEach(([n, nats], i) => {
    const ring = { cx: scale.x(n), cy: scale.y(nats), r: 8, class: "gx-guess" };
    const e = shape("circle", svg, ring);
    if (!view.shown) handle(view, e, i, n, nats, scale);
  });
}

function handle(view, ring, i, n, nats, { back }) {
  const about = { role: "slider", tabindex: 0, "data-at": i, "aria-valuenow": nats.toFixed(2) };
  const name = `your guess for ${sizeText(Math.log10(n))} parameters, in nats`;
  const more = { ...about, "aria-label": name, "aria-valuemin": 2, "aria-valuemax": 8 };
  for (const [key, value] of Object.entries(more)) ring.setAttribute(key, value);
  const put = value => guess(view, i, value);
  ring.addEventListener("keydown", e => {
    const d = { ArrowUp: NUDGE, ArrowDown: -NUDGE, PageUp: 10 * NUDGE, PageDown: -10 * NUDGE };
    if (!d[e.key]) return;
    e.preventDefault();
    put(nats + d[e.key]);
  });
  ring.addEventListener("pointerdown", e => {
    e.preventDefault();
    ring.focus();
    const move = to => put(back(heightOf(view.chart, to)));
    const end = () => {
      removeEventListener("pointermove", move);
      for (const name of ENDS) removeEventListener(name, end);
    };
    addEventListener("pointermove", move);
    for (const name of ENDS) addEventListener(name, end);
  });
}

function heightOf({ svg, H }, e) {
  const box = svg.getBoundingClientRect();
  return ((e.clientY - box.top) / box.height) * H;
}

function guess(view, i, nats) {
  const guesses = guessesOf(view);
  guesses[i] = Math.min(8, Math.max(2, +nats.toFixed(3)));
  save(view.model, { guesses });
}

// ---- in words

const offBy = pairs => sum(pairs.map(([a, b]) => Math.abs(a - b))) / pairs.length;

function showFinding(view, line) {
  const { finding } = view;
  setTip(finding, "see how it went on");
  if (!line) {
    finding.textContent = `${FIRST} sizes are known. How far does the loss fall beyond them?`;
    return;
  }
  const points = pointsOf(view);
  const used = usedOf(view);
  const later = points.slice(used).map(([n, nats]) => [nats, line.at(n)[0]]);
  finding.textContent = later.length
    ? `A line through ${used} sizes misses the larger ones by ${offBy(later).toFixed(2)} nats.`
    : `Through all ${used} sizes, ten times the parameters cut ` +
      `the loss by ${rounded(1 - 10 ** -line.alpha)}.`;
  setTip(
    finding,
    used === FIRST ? "fit the line to all sizes" : `fit it to the first ${FIRST}`,
  );
}

function whatLineSays(view, line) {
  const points = pointsOf(view);
  const used = usedOf(view);
  const [middle, low, high] = line.at(view.size);
  const last = points.at(-1)[0];
  const beyond = view.size / last;
  const times = beyond < 10 ? beyond.toFixed(1) : commas(Math.round(beyond));
  const far = beyond > 1.05 ? `, ${times} times the size of the largest run,` : "";
  const later = points.slice(used);
  const missed = later.length
    ? ` It misses the ${plural(later.length, "larger size")} by ` +
      `${offBy(later.map(([n, nats]) => [nats, line.at(n)[0]])).toFixed(2)} nats on average.`
    : "";
  const power = `${line.alpha > 0 ? "falls" : "rises"} as N to the power of `;
  return (
    `The line through the first ${used} sizes ${power}` +
    `${line.alpha > 0 ? "−" : ""}${Math.abs(line.alpha).toFixed(3)}.` +
    `${missed}${whatWasDrawn(view)} At N = ` +
    `${sizeText(Math.log10(view.size))}${far} it predicts ${middle.toFixed(2)} nats, ` +
    `95% interval ${low.toFixed(2)} to ${high.toFixed(2)}.`
  );
}

function whatWasDrawn(view) {
  if (view.amount || !view.model.get("guesses").length) return "";
  const known = view.all[0].slice(FIRST);
  const off = offBy(guessesOf(view).map((nats, i) => [nats, known[i][1]]));
  return ` Your curve misses by ${off.toFixed(2)}.`;
}

export default start(draw);
