// The zoom into a head: q beside the scores, k above them, the mask, the softmax, times v.
// view.station is one of PANELS; view.place is the row, view.other the column.

import { css, rgb, SIGNS } from "./common.colors.js";
import { setShared } from "./common.traits.js";
import { minus } from "./common.words.js";
import { timesOf } from "./factor.js";
import { brief, everyToken } from "./model_map.grid.js";
import {
  broughtBy,
  factorOf,
  reach,
  scoreOf,
  two,
  vectorOf,
  weightOf,
} from "./model_map.numbers.js";
import { frame, hatch, patch, words } from "./model_map.pen.js";

const PANELS = ["q", "scores", "mask", "weights", "out"];
const ABOVE = { scores: "k", mask: "k", weights: "v" }; // what stands over a matrix
const TOP = { names: 62, strip: 62 };

function headLayout(view) {
  const { T, width, D } = view;
  const [gutter, strip, gap] = [84, 92, 30];
  const room = width - gutter - 2 * strip - 4 * gap - 8;
  const cell = Math.max(12, Math.min(34, Math.floor(room / 3 / T)));
  const side = cell * T;
  const top = 8 + TOP.names + TOP.strip + 6;
  const geo = { cell, side, top, gutter, boxes: {} };
  let x = 2;
  for (const name of PANELS) {
    const w = name === "q" || name === "out" ? strip : side;
    geo.boxes[name] = { x, y: top, w, h: side };
    x += w + gap;
  }
  const above = { y: top - TOP.strip - 6, h: TOP.strip, w: side };
  geo.boxes.k = { ...above, x: geo.boxes.scores.x };
  geo.boxes.v = { ...above, x: geo.boxes.weights.x };
  const rows = which => everyToken(view, t => vectorOf(view, which, view.block, view.head, t));
  geo.reaches = { q: reach(rows(0)), k: reach(rows(1)), v: reach(rows(2)) };
  geo.reaches.out = reach(everyToken(view, t => broughtBy(view, view.block, view.head, t)));
  const all = everyToken(view, t =>
    everyToken(view, s => scoreOf(view, view.block, view.head, t, s)),
  );
  geo.reaches.scores = Math.max(...all.flat().map(Math.abs)) || 1;
  return { ...geo, D, W: x - gap + 8, H: top + side + 48 };
}

const FORMULAS = {
  q: "q",
  scores: "q · k / √D",
  mask: "mask",
  weights: "softmax",
  out: "weights × v",
};

const SIGN = { scores: "·", mask: "→", weights: "→", out: "×" }; // before a panel

function paintHead(view, pen) {
  const { geo, colors } = view;
  for (const name of PANELS) {
    const { x, w, y, h } = geo.boxes[name];
    words(pen, FORMULAS[name], x + w / 2, y + h + 20, colors.ink, 13, "center", 200, 600);
    words(
      pen,
      scaleOfPanel(geo, name),
      x + w / 2,
      y + h + 36,
      colors.soft,
      11,
      "center",
      w + 28,
    );
    if (SIGN[name]) words(pen, SIGN[name], x - 15, y + h / 2 + 7, colors.ink, 20, "center");
  }
  paintVectors(view, pen, "q", 0);
  paintUpright(view, pen, "k", 1);
  paintUpright(view, pen, "v", 2);
  for (const name of ["scores", "mask", "weights"]) paintMatrix(view, pen, name);
  paintVectors(view, pen, "out", -1);
}

function paintRowNames({ geo, names, colors }, pen, { place }) {
  names.forEach((name, t) => {
    const y = geo.top + (t + 0.5) * geo.cell + 4;
    const weight = t === place ? 700 : 400;
    words(
      pen,
      name,
      geo.gutter - 8,
      y,
      colors.ink,
      Math.min(12, geo.cell - 1),
      "right",
      geo.gutter - 10,
      weight,
    );
  });
}

function scaleOfPanel({ reaches, D }, name) {
  if (name === "weights") return "0 to 1";
  if (name === "q") return `${D} wide, ±${brief(reaches.q)}`;
  return `±${brief(reaches[name] ?? reaches.scores)}`;
}

// A strip beside each row; which: 0 q, -1 what the head brings.
function paintVectors(view, pen, name, which) {
  const { geo, block, head, T } = view;
  const { x, y, w } = geo.boxes[name];
  for (let t = 0; t < T; t++) {
    const values =
      which < 0 ? broughtBy(view, block, head, t) : vectorOf(view, which, block, head, t);
    const box = { x, y: y + t * geo.cell + 1, w, h: geo.cell - 2 };
    if (which < 0 && !factorOf(view, block, head)) hatch(pen, box, view.colors.soft);
    else patch(view, pen, values, box, geo.reaches[name], values.length);
  }
}

// A strip over each column, under the names of the tokens.
function paintUpright(view, pen, name, which) {
  const { geo, block, head, T, colors, names } = view;
  const { x, y, h, w } = geo.boxes[name];
  for (let s = 0; s < T; s++) {
    const left = x + s * geo.cell;
    const values = vectorOf(view, which, block, head, s);
    patch(view, pen, values, { x: left + 1, y, w: geo.cell - 2, h }, geo.reaches[name], 1);
    pen.save();
    pen.translate(left + geo.cell / 2 + 4, y - 6);
    pen.rotate(-Math.PI / 2);
    words(pen, names[s], 0, 0, colors.ink, 11, "left", TOP.names - 4);
    pen.restore();
  }
  words(
    pen,
    `${name}  ±${brief(geo.reaches[name])}`,
    x + w + 4,
    y + h / 2 + 4,
    colors.soft,
    11,
    "left",
  );
}

function paintMatrix(view, pen, name) {
  const { geo, block, head, T, dark, colors } = view;
  const { x, y } = geo.boxes[name];
  const hues = SIGNS[dark];
  for (let t = 0; t < T; t++) {
    for (let s = 0; s < T; s++) {
      const box = {
        x: x + s * geo.cell,
        y: y + t * geo.cell,
        w: geo.cell - 1,
        h: geo.cell - 1,
      };
      if (s > t && name !== "scores") {
        hatch(pen, box, colors.soft);
        continue;
      }
      const score = scoreOf(view, block, head, t, s) / geo.reaches.scores;
      pen.globalAlpha = name === "weights" ? 1 : Math.abs(score);
      const weight = weightOf(view, block, head, t, s);
      pen.fillStyle = css(name === "weights" ? rgb(weight, dark) : hues[score < 0 ? 0 : 1]);
      pen.fillRect(box.x, box.y, box.w, box.h);
      pen.globalAlpha = 1;
    }
  }
}

// Thin frames follow row and column through all matrices; a strong one is where we are.
function markHead(view, pen, { place, other, station }) {
  const { geo, colors } = view;
  const { cell, side, boxes, top } = geo;
  const y = top + place * cell;
  pen.strokeStyle = colors.accent;
  pen.lineWidth = 1.5;
  for (const name of PANELS) {
    const { x, w } = boxes[name];
    pen.strokeRect(x - 1, y - 1, w + 1, cell);
    if (name in ABOVE) pen.strokeRect(x + other * cell - 1, top - 1, cell, side + 1);
  }
  for (const name of ["k", "v"]) {
    const { x, y: high, h } = boxes[name];
    pen.strokeRect(x + other * cell - 0.5, high - 1, cell, h + 2);
  }
  frame(pen, cursorBox(geo, { place, other, station }), colors);
}

function cursorBox({ boxes, cell }, { place, other, station }) {
  const { x, y, w, h } = boxes[station];
  if (station === "k" || station === "v") return { x: x + other * cell, y, w: cell - 1, h };
  const row = { x, y: y + place * cell, w, h: cell - 1 };
  return station in ABOVE ? { ...row, x: x + other * cell, w: cell - 1 } : row;
}

function headHit({ geo: { boxes, cell }, place, other, D }, px, py) {
  const found = Object.entries(boxes).find(
    ([, { x, y, w, h }]) => px >= x && px < x + w && py >= y && py < y + h,
  );
  if (!found) return null;
  const [station, { x, y, w, h }] = found;
  const [t, s] = [Math.floor((py - y) / cell), Math.floor((px - x) / cell)];
  if (station === "k" || station === "v") {
    return { station, place, other: s, index: Math.floor(((py - y) / h) * D) };
  }
  if (station in ABOVE) return { station, place: t, other: s, index: -1 };
  return { station, place: t, other, index: Math.floor(((px - x) / w) * D) };
}

// Left and right go on from one panel to the next, up from the first row to k or v.
function headStep(view, dx, dy, far) {
  const { T, station } = view;
  view.index = -1;
  if (dy) return headUpDown(view, dy);
  if (station === "k" || station === "v") {
    return setShared(view, { other: Math.max(0, Math.min(T - 1, view.other + dx)) });
  }
  const to = view.other + dx;
  if (station in ABOVE && !far && to >= 0 && to < T) return setShared(view, { other: to });
  const panel = PANELS.indexOf(station) + dx;
  if (!PANELS[panel]) return;
  view.station = PANELS[panel];
  if (view.station in ABOVE && !far) setShared(view, { other: dx > 0 ? 0 : T - 1 });
}

function headUpDown(view, dy) {
  const { T, station, place } = view;
  const inside = station !== "k" && station !== "v";
  if (inside && dy < 0 && place === 0 && ABOVE[station]) view.station = ABOVE[station];
  else if (inside) setShared(view, { place: Math.max(0, Math.min(T - 1, place + dy)) });
  else if (dy > 0) view.station = station === "k" ? "scores" : "weights";
}

function headSays(view, { station, place, other, index }) {
  const { names, block, head, D } = view;
  const [from, to] = [`“${names[place]}”`, `“${names[other]}”`];
  const [score, weight] = [scoreOf, weightOf].map(of => of(view, block, head, place, other));
  const factor = factorOf(view, block, head);
  const scaled = factor < 1 ? ` The head is turned down: ${timesOf(factor)}.` : "";
  const off = factor ? scaled : " The head is off: it brings zeros.";
  const told = {
    q: `The query of ${from}: ${D} numbers, what it asks for.`,
    k: `The key of ${to}: ${D} numbers, what it can be found by.`,
    v: `The value of ${to}: ${D} numbers, what it gives.`,
    scores: `${from} asks ${to}: q · k / √${D} = ${two(score)}. Enter shows the ${D} products.`,
    mask:
      other > place ? `${to} comes after ${from}: masked.` : `${to} may be seen by ${from}.`,
    weights:
      other > place
        ? `${to} comes after ${from}: weight 0.`
        : `${from} gives ${to} the weight ${weight.toFixed(3)}.`,
    out: `What the head brings ${from}: the values, each times its weight, added.${off}`,
  };
  const values = index >= 0 && headNumbers(view, { station, place, other });
  return (
    told[station] + (values ? ` Number ${index}: ${minus(values[index].toFixed(3))}.` : "")
  );
}

function headNumbers(view, { station, place, other }) {
  const { block, head } = view;
  if (station === "out") return broughtBy(view, block, head, place);
  const which = { q: [0, place], k: [1, other], v: [2, other] }[station];
  return which && vectorOf(view, which[0], block, head, which[1]);
}

export const HEAD = {
  layout: headLayout,
  paint: paintHead,
  mark: markHead,
  gutter: paintRowNames,
  around: view => cursorBox(view.geo, view),
  hit: headHit,
  step: headStep,
  says: headSays,
  numbers: headNumbers,
  deeper: () => ({ zoom: "cell" }),
};
