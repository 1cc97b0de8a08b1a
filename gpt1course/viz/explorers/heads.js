// All heads by what they look at and what they cost, one head large, and what comes next
// with it, without it, or with it turned down.

import { bars } from "./common.bars.js";
import { axisNames, chart, levels, shape, ticks } from "./common.charts.js";
import { colorScale, css, rgb } from "./common.colors.js";
import { choice } from "./common.controls.js";
import { addHeadline, button, el, liveRegion, setTip } from "./common.elements.js";
import { bigPicture, lockedRows, markRow, matrixOf, rowButtons } from "./common.matrix.js";
import { halves, onChange, save, setShared } from "./common.traits.js";
import { capital, headName, labels, minus, named, percent } from "./common.words.js";
import { factorSlider, showFactor } from "./factor.js";
import { start } from "./start.js";

const SHORT = {
  distance: "distance",
  entropy: "entropy",
  previous: "token before",
  first: "first token",
  itself: "itself",
  cost: "cost",
};
const SHOWN = 8; // bars
const MANY = 40; // heads; more are drawn smaller, and only the chosen one has its name

function draw(model, root) {
  const view = readHeads(model);
  view.root = root;
  view.dark = root.classList.contains("gx-dark");
  view.finding = addHeadline(root, "", () => toggle(view));
  view.axes = ["across", "up"].map(way =>
    choice(root, way, SHORT, model.get(way), measure => {
      save(model, way === "up" ? { up: measure } : { across: measure });
      drawAtlas(view);
    }),
  );
  const cols = el("div", "gx-cols", root);
  const left = el("div", "gx-atlas", cols);
  addMatrix(view, el("div", "gx-scroll", cols));
  addAtlas(view, left); // the chart is as wide as the matrix leaves room
  addNext(view);
  view.said = liveRegion(root);
  root.onkeydown = e => {
    // one listener, however often the theme has it drawn anew
    if (e.key.toLowerCase() === "x" && !e.ctrlKey && !e.metaKey) toggle(view);
  };
  followPython(view);
  drawAtlas(view);
  show(view);
}

function readHeads(model) {
  const tokens = model.get("tokens");
  const view = { model, T: tokens.length, names: labels(tokens) };
  Object.assign(view, { L: model.get("n_layer"), H: model.get("n_head") });
  view.weights = halves(model, "data"); // (L, H, T, T)
  view.before = halves(model, "before"); // (T, M)
  view.after = halves(model, "after"); // (steps, L, H, T, M)
  for (const trait of ["words", "measures", "steps", "head", "row", "factor"]) {
    view[trait] = model.get(trait);
  }
  view.M = view.words[0].length;
  return view;
}

function followPython(view) {
  const { model, axes } = view;
  onChange(view, ["head"], () => show(view));
  onChange(view, ["row", "factor"], () => showRow(view));
  ["across", "up"].forEach((way, i) => {
    model.on(`change:${way}`, () => {
      axes[i].set(model.get(way));
      drawAtlas(view);
    });
  });
}

function select(view, head) {
  setShared(view, { head });
  show(view);
}

function setFactor(view, factor) {
  setShared(view, { factor });
  showRow(view);
}

// The head is off, or if it is turned down at all, on again.
const toggle = view => setFactor(view, view.factor < 1 ? 1 : 0);

// ---- the atlas: a disc for each head, its area how far the loss rises without it

function addAtlas(view, parent) {
  el("p", "gx-title", parent, "Heads, as block.head; area: rise of the loss without it");
  view.room = chart(parent, 400, 26, () => drawAtlas(view));
  const { svg } = view.room;
  svg.classList.toggle("gx-many", view.L * view.H > MANY);
  svg.setAttribute("role", "radiogroup");
  svg.setAttribute("aria-label", "attention heads; arrow keys move by block and head");
}

function drawAtlas(view) {
  const { model, measures, room } = view;
  const { svg, L, T, right, bottom } = room;
  const [across, up] = ["across", "up"].map(way => model.get(way));
  const radii = radiiOf(measures.cost);
  const x = scaleFor(measures[across], L + 26, right - 14);
  const y = scaleFor(measures[up], bottom - 26, T + 18);
  const held = view.dots?.includes(document.activeElement);
  svg.replaceChildren();
  levels(room, y.ticks, y.at, v => minus(+v.toFixed(3)));
  for (const v of x.ticks) {
    const at = { x: x.at(v), y: bottom + 16, "text-anchor": "middle" };
    shape("text", svg, at, minus(+v.toFixed(3)));
  }
  const names = model.get("names");
  axisNames(room, names[across], names[up]);
  const places = radii.map((_, i) => [x.at(measures[across][i]), y.at(measures[up][i])]);
  const free = pushApart(places, radii, [L + 4, T, right + 12, bottom - 2]);
  free.forEach(([px, py], i) => {
    const [x1, y1] = places[i];
    shape("line", svg, { x1, y1, x2: px, y2: py, class: "gx-tether" });
  });
  view.dots = free.map((place, i) => dot(view, place, radii[i], i));
  markHead(view);
  if (held) view.dots[view.head].focus();
}

const radiiOf = costs => {
  const top = Math.max(...costs, 1e-9);
  const room = Math.min(1, MANY / costs.length);
  return costs.map(cost => Math.sqrt(room * (170 + (430 * Math.max(0, cost)) / top)));
};

// From values to pixels, with round numbers between them.
function scaleFor(values, from, to) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = high - low || 1;
  const at = v => from + ((v - low) / span) * (to - from);
  return { at, ticks: ticks(low, low + span, 5) };
}

// Discs that lie on each other are moved aside, each by half of what they share.
// They stay in the box [left, top, right, bottom].
function pushApart(places, radii, [left, top, right, bottom]) {
  const free = places.map(place => [...place]);
  const keptIn = ([x, y], r) => [
    Math.max(left + r, Math.min(right - r, x)),
    Math.max(top + r, Math.min(bottom - r, y)),
  ];
  for (let round = 0; round < 60; round++) {
    for (let i = 0; i < free.length; i++) {
      for (let j = 0; j < i; j++) {
        const [dx, dy] = [free[i][0] - free[j][0], free[i][1] - free[j][1]];
        const far = Math.hypot(dx, dy) || 0.01;
        const shared = (radii[i] + radii[j] - far) / 2;
        if (shared <= 0) continue;
        const [mx, my] = [(dx / far) * shared, ((dy || 0.001) / far) * shared];
        free[i] = keptIn([free[i][0] + mx, free[i][1] + my], radii[i]);
        free[j] = keptIn([free[j][0] - mx, free[j][1] - my], radii[j]);
      }
    }
  }
  return free;
}

function dot(view, [x, y], radius, head) {
  const { H, measures, room } = view;
  const g = shape("g", room.svg, {
    class: "gx-dot",
    role: "radio",
    "aria-label": `${headName(view, head)}, costs ${measures.cost[head].toFixed(3)} nats`,
  });
  shape("circle", g, { cx: x, cy: y, r: radius });
  const text = `${Math.floor(head / H)}.${head % H}`;
  shape("text", g, { x, y: y + 4, "text-anchor": "middle" }, text);
  g.addEventListener("click", () => {
    select(view, head);
    g.focus();
  });
  g.addEventListener("keydown", e => step(view, e));
  return g;
}

function step(view, e) {
  const { H, head, dots } = view;
  const d = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: H, ArrowUp: -H }[e.key];
  if (d == null) return;
  e.preventDefault();
  if (!dots[head + d]) return;
  select(view, head + d);
  dots[view.head].focus();
}

function markHead({ dots, head, factor }) {
  dots.forEach((g, i) => {
    g.setAttribute("aria-checked", i === head);
    g.setAttribute("tabindex", i === head ? 0 : -1);
    g.classList.toggle("gx-ablated", i === head && factor < 1);
  });
}

// ---- the chosen head's weights

function addMatrix(view, parent) {
  const { T, names } = view;
  view.title = el("p", "gx-title", parent);
  const size = Math.max(12, Math.min(30, Math.floor(330 / T)));
  // a width that no text changes: the chart beside it would be drawn again and again
  parent.style.flex = `0 0 min(100%, ${Math.max(320, T * size + 90)}px)`;
  const matrix = matrixOf(parent, names, T, size, size);
  const tell = () => view.mark.classList.toggle("gx-locked", rows.locked >= 0);
  const rows = lockedRows(parent.parentElement, q => setRow(view, q), tell);
  rowButtons(matrix, names, name => `after ${name}`, rows);
  const over = q => q != null && rows.over(q);
  const big = bigPicture(matrix, T, "gx-big gx-hatch", over, rows.lock);
  Object.assign(view, { rows, big: big.canvas, mark: big.mark });
  colorScale(parent, view.dark, "0", "1   weight");
}

function paintHead({ weights, head, T, dark, big }) {
  big.width = big.height = T;
  const ctx = big.getContext("2d");
  for (let q = 0; q < T; q++) {
    for (let k = 0; k <= q; k++) {
      ctx.fillStyle = css(rgb(weights[(head * T + q) * T + k], dark));
      ctx.fillRect(k, q, 1, 1);
    }
  }
}

function setRow(view, row) {
  if (row === view.row) return;
  setShared(view, { row });
  showRow(view);
}

// ---- the next token, with the head and with less of it

function addNext(view) {
  const { root } = view;
  view.heading = el("p", "gx-title gx-coming", root);
  view.knob = factorSlider(root, 1 / view.steps.length, factor => setFactor(view, factor));
  view.scissors = button(root, "", () => toggle(view));
  view.list = el("ol", "gx-bars gx-without", root);
  const note =
    "The bars go from 0 to 100%. With a head turned down, a line marks the probability " +
    "with all heads as they are.";
  el("p", "gx-note", root, note);
}

// [word, before, after] of the likeliest, and of those that become so.
function nextTokens({ words, before, after, steps, factor, head, row, L, H, T, M }) {
  const at = steps.indexOf(factor);
  if (at < 0 && factor !== 1) throw new RangeError(`there is no head times ${factor}`);
  const all = words[row].map((word, i) => {
    const p = before[row * M + i];
    return [word, p, at < 0 ? p : after[((at * L * H + head) * T + row) * M + i]];
  });
  return all.sort(([, ...a], [, ...b]) => Math.max(...b) - Math.max(...a));
}

function showBars(view, tokens) {
  const { list, factor } = view;
  bars(
    list,
    tokens.slice(0, SHOWN).map(([word, before, after]) => {
      const shares = factor < 1 ? [before, after] : [before];
      return [named(word), shares.at(-1), shares.map(percent).join(" → ")];
    }),
  );
  tokens.slice(0, SHOWN).forEach(([, before], i) => {
    const track = list.children[i].children[1];
    const line = `calc(${100 * before}% - 1px)`;
    track.style.setProperty("--line", factor < 1 ? line : "-20px");
  });
}

function show(view) {
  const { big, title } = view;
  const name = headName(view, view.head);
  title.textContent = `${capital(name)}: from each row to each column`;
  big.setAttribute("aria-label", `${name}: attention weights, later tokens masked`);
  paintHead(view);
  showRow(view);
}

function showRow(view) {
  const { names, row, head, factor, rows, mark, heading, knob, scissors, said } = view;
  const tokens = nextTokens(view);
  markRow(rows.buttons, row);
  markHead(view);
  mark.style.transform = `translateY(${100 * row}%)`;
  const down = factor < 1 ? `, ${withHead(view)}` : "";
  heading.textContent = `What comes next after “${names[row]}”${down}`;
  showFactor(knob, view, head, factor);
  scissors.textContent = factor < 1 ? "Put the head back (X)" : "Ablate the head (X)";
  scissors.setAttribute("aria-pressed", factor < 1);
  showBars(view, tokens);
  said.textContent = sentence(view, tokens);
  view.finding.textContent = findingOf(view, tokens);
  setTip(view.finding, factor < 1 ? "put it back" : "ablate this head, and look below");
}

// How much of the chosen head there is, in words.
function withHead(view) {
  const { head, factor } = view;
  const name = headName(view, head);
  return factor ? `with ${name} turned down to ${factor}` : `without ${name}`;
}

// What the head costs among all; once it is turned down, what that does to the next token.
function findingOf(view, tokens) {
  const { measures, head, factor } = view;
  const name = headName(view, head);
  const cost = measures.cost[head];
  const rank = 1 + measures.cost.filter(v => v > cost).length;
  if (factor < 1) {
    const [word, before, after] = mostMoved(tokens);
    const moved = `“${named(word)}” goes from ${percent(before)} to ${percent(after)}`;
    return `${capital(withHead(view))}, ${moved}.`;
  }
  const place = rank === 1 ? "more than any other" : `rank ${rank} of ${measures.cost.length}`;
  const way = cost < 0 ? "lowers" : "raises";
  return `Ablating ${name} ${way} the loss by ${Math.abs(cost).toFixed(3)} nats, ${place}.`;
}

const mostMoved = tokens =>
  tokens.reduce((most, token) =>
    Math.abs(token[2] - token[1]) > Math.abs(most[2] - most[1]) ? token : most,
  );

function sentence(view, tokens) {
  const { measures, head, factor, names, row } = view;
  const name = headName(view, head);
  const [word, before, after] = mostMoved(tokens);
  const back = measures.distance[head];
  return (
    `${capital(name)} looks ${back.toFixed(1)} tokens back on average; without it the loss ` +
    `on unseen text changes by ${minus(measures.cost[head].toFixed(3))} nats per token. ` +
    (factor < 1
      ? `After “${names[row]}”, ${factor ? `turning it down to ${factor}` : "ablating it"} ` +
        `moves “${named(word)}” most: from ${percent(before)} to ${percent(after)}.`
      : `After “${names[row]}” the likeliest is “${named(tokens[0][0])}” with ` +
        `${percent(tokens[0][1])}. Press X to ablate the head.`)
  );
}

export default start(draw);
