// The zoom into one score: D products of q and k, their sum, the root, the softmax.
// view.index says which product; up and down lead to another key.

import { css, rgb, SIGNS } from "./common.colors.js";
import { setShared } from "./common.traits.js";
import { percent } from "./common.words.js";
import { brief } from "./model_map.grid.js";
import { scoreOf, two, vectorOf, weightOf } from "./model_map.numbers.js";
import { frame, hatch, words } from "./model_map.pen.js";

const BANDS = { q: 62, k: 62, product: 74, sum: 96 };
const BAND_GAP = 22;

function cellLayout(view) {
  const { width, D, T } = view;
  const [gutter, right] = [98, 168];
  const W = Math.max(540, width - gutter);
  const bands = {};
  let y = 10;
  for (const [name, h] of Object.entries(BANDS)) {
    bands[name] = { x: 2, y, w: W - right, h };
    y += h + BAND_GAP;
  }
  const row = { x: 2, y: y + 22, w: W - 24, h: 84 };
  return { bands, row, bar: bands.q.w / D, gutter, W, H: row.y + row.h + 44, T };
}

// All that is computed for one score.
function scoreSteps(view, { place, other }) {
  const { block, head, D } = view;
  const q = vectorOf(view, 0, block, head, place);
  const k = vectorOf(view, 1, block, head, other);
  const product = q.map((v, i) => v * k[i]);
  let total = 0;
  const running = product.map(v => {
    total += v;
    return total;
  });
  return { q, k, product, running, total, score: total / Math.sqrt(D) };
}

function paintCell(view, pen) {
  const steps = scoreSteps(view, view);
  const series = { q: steps.q, k: steps.k, product: steps.product };
  for (const [name, values] of Object.entries(series)) paintBand(view, pen, name, values);
  paintRunning(view, pen, steps.running);
  paintSum(view, pen, steps);
  paintRow(view, pen);
}

// The names of the bands, and of what they are made.
function paintBandNames({ geo, colors, names, place, other, D }, pen) {
  const notes = {
    q: `of ${names[place]}`,
    k: `of ${names[other]}`,
    "q × k": `${D} products`,
    sum: "of those so far",
    softmax: "of the row",
  };
  const boxes = [...Object.values(geo.bands), geo.row];
  Object.entries(notes).forEach(([name, note], i) => {
    const y = boxes[i].y + boxes[i].h / 2;
    words(pen, name, geo.gutter - 12, y, colors.ink, 13, "right", 84, 600);
    words(pen, note, geo.gutter - 12, y + 15, colors.soft, 11, "right", 84);
  });
}

function paintBand({ geo, dark, colors }, pen, name, values) {
  const { x, y, h, w } = geo.bands[name];
  const top = Math.max(...values.map(Math.abs)) || 1;
  pen.fillStyle = colors.line;
  pen.fillRect(x, y + h / 2 - 0.5, w, 1);
  values.forEach((v, i) => {
    const tall = (Math.abs(v) / top) * (h / 2);
    pen.fillStyle = css(SIGNS[dark][v < 0 ? 0 : 1]);
    pen.fillRect(x + i * geo.bar, v < 0 ? y + h / 2 : y + h / 2 - tall, geo.bar * 0.8, tall);
  });
  words(pen, `±${brief(top)}`, x + w + 8, y + h / 2 + 4, colors.soft, 11, "left");
}

function paintRunning({ geo, colors }, pen, running) {
  const { x, y, h, w } = geo.bands.sum;
  const [low, high] = [Math.min(0, ...running), Math.max(0, ...running)];
  const at = v => y + h - ((v - low) / (high - low || 1)) * h;
  geo.sumAt = at;
  pen.fillStyle = colors.line;
  pen.fillRect(x, at(0) - 0.5, w, 1);
  pen.strokeStyle = colors.ink;
  pen.lineWidth = 2;
  pen.beginPath();
  running.forEach((v, i) => {
    const left = x + i * geo.bar;
    if (i) pen.lineTo(left, at(v));
    else pen.moveTo(left, at(v));
    pen.lineTo(left + geo.bar, at(v));
  });
  pen.stroke();
}

function paintSum({ geo, colors, D }, pen, { total, score }) {
  const { x, w, y, h } = geo.bands.sum;
  const left = x + w + 12;
  const middle = Math.max(y + 14, Math.min(y + h - 20, geo.sumAt(total)));
  words(pen, `sum ${two(total)}`, left, middle, colors.ink, 14, "left", 150, 700);
  words(
    pen,
    `÷ √${D} = ${two(score)}, the score`,
    left,
    middle + 18,
    colors.ink,
    12,
    "left",
    156,
  );
}

// The scores of the whole row become weights.
function paintRow(view, pen) {
  const { geo, colors, T } = view;
  const { x, y, w, h } = geo.row;
  const step = Math.min(90, w / T);
  pen.fillStyle = colors.line;
  pen.fillRect(x, y + h, step * T, 1);
  for (let s = 0; s < T; s++)
    paintKey(view, pen, s, { x: x + s * step + 2, y, w: step - 4, h });
}

// The s-th key of the row: its name, its score, and its weight as a bar.
function paintKey(view, pen, s, box) {
  const { colors, place, other, names, block, head, dark } = view;
  const { x, y, w, h } = box;
  const [color, strong] = s === other ? [colors.ink, 700] : [colors.soft, 400];
  const middle = x + w / 2;
  words(pen, names[s], middle, y + h + 17, color, 12, "center", w + 2, strong);
  if (s > place) return hatch(pen, box, colors.soft);
  const weight = weightOf(view, block, head, place, s);
  const score = two(scoreOf(view, block, head, place, s));
  const tall = Math.max(1, weight * h);
  pen.fillStyle = css(rgb(Math.max(0.12, weight), dark));
  pen.fillRect(x, y + h - tall, w, tall);
  words(pen, percent(weight), middle, y + h - tall - 8, color, 11, "center", w + 1);
  words(pen, score, middle, y + h + 33, colors.soft, 11, "center", w);
}

function markCell(view, pen, { other, index }) {
  const { geo, colors, T } = view;
  const step = Math.min(90, geo.row.w / T);
  frame(
    pen,
    { x: geo.row.x + other * step + 2, y: geo.row.y, w: step - 4, h: geo.row.h },
    colors,
  );
  if (index < 0) return;
  const last = geo.bands.sum;
  const x = geo.bands.q.x + index * geo.bar;
  const tall = last.y + last.h - geo.bands.q.y;
  frame(pen, { x: x - 1, y: geo.bands.q.y, w: geo.bar + 1, h: tall }, colors, 1.5);
}

function cellHit({ geo, place, other, D, T }, px, py) {
  const { row, bands, bar } = geo;
  const step = Math.min(90, row.w / T);
  if (py >= row.y - 10) {
    const s = Math.floor((px - row.x) / step);
    return s >= 0 && s < T ? { place, other: s, index: -1 } : null;
  }
  const index = Math.floor((px - bands.q.x) / bar);
  return index >= 0 && index < D ? { place, other, index } : null;
}

function cellStep(view, dx, dy, far) {
  const { D, T } = view;
  if (dx)
    view.index = Math.max(0, Math.min(D - 1, far ? (dx < 0 ? 0 : D - 1) : view.index + dx));
  if (dy) setShared(view, { other: Math.max(0, Math.min(T - 1, view.other + dy)) });
}

function cellSays(view, { place, other, index }) {
  const { names, D, block, head } = view;
  const { q, k, product, running, total, score } = scoreSteps(view, { place, other });
  if (index >= 0) {
    const [a, b, c, d] = [q, k, product, running].map(values => two(values[index]));
    return `Number ${index}: ${a} × ${b} = ${c}; the sum so far is ${d}.`;
  }
  const weight = weightOf(view, block, head, place, other);
  const end =
    other > place
      ? "the key comes later, so the score is masked"
      : `softmax over the row makes it the weight ${weight.toFixed(3)}`;
  return (
    `“${names[place]}” asks “${names[other]}”: the ${D} products add up to ${two(total)}; ` +
    `divided by √${D} the score is ${two(score)}; ${end}.`
  );
}

export const CELL = {
  layout: cellLayout,
  paint: paintCell,
  mark: markCell,
  gutter: paintBandNames,
  around: ({ geo, index }) => ({ x: index < 0 ? 0 : index * geo.bar, w: geo.bar }),
  hit: cellHit,
  step: cellStep,
  says: cellSays,
  numbers: () => null,
  deeper: () => null,
};
