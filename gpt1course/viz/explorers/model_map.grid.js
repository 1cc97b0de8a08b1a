// Two zooms with a column per token and a row per station: the model, and a block.

import { css, ink, rgb } from "./common.colors.js";
import { setShared } from "./common.traits.js";
import { commas, minus, percent, readable } from "./common.words.js";
import { reach } from "./model_map.numbers.js";
import { frame, hatch, markNumber, numberAt, patch, words } from "./model_map.pen.js";

const gutterOf = ({ width }) => (width < 520 ? 84 : 106); // for the stations' names
const MARGIN = 44; // for the scales
export const STRIP_TALL = 15;

// ---- where things lie

function gridLayout(stations) {
  return view => {
    const all = stations(view);
    const gutter = gutterOf(view);
    const wide = Math.max(58, Math.min(130, (view.width - gutter - MARGIN) / view.T));
    let y = 6;
    for (const station of all) {
      y += station.gap;
      station.top = y;
      y += station.tall;
    }
    return { stations: all, wide, gutter, W: wide * view.T + MARGIN, H: y + 8 };
  };
}

const boxOf = ({ wide }, { top, tall }, t) => ({
  x: t * wide + 6,
  y: top,
  w: wide - 9,
  h: tall,
});

// Of a state with a guess only the lower part is numbers.
function stripBox(box, station) {
  if (!station.guess) return box;
  return { ...box, y: box.y + box.h - STRIP_TALL, h: STRIP_TALL };
}

// The place under a point, with the number there.
function gridHit({ geo: { stations, wide }, T }, x, y) {
  const place = Math.floor(x / wide);
  const station = stations.findIndex(
    ({ top, tall, gap }) => y >= top - gap / 2 && y <= top + tall,
  );
  if (place < 0 || place >= T || station < 0) return null;
  const { numbers, ...its } = stations[station];
  const box = stripBox(boxOf({ wide }, its, place), its);
  const index = numbers ? numberAt(box, numbers(place).length, x, y) : -1;
  return { place, station, index };
}

function gridStep(view, dx, dy, far) {
  const last = [view.T - 1, view.geo.stations.length - 1];
  const to = (at, d, most) => Math.max(0, Math.min(most, at + (far ? d * most : d)));
  if (dx) setShared(view, { place: to(view.place, dx, last[0]) });
  if (dy) view.station = to(view.station, dy, last[1]);
  view.index = -1;
  const { head } = view.geo.stations[view.station];
  if (head !== undefined && head !== view.head) setShared(view, { head });
}

function gridSays(view, { place, station, index }) {
  const its = view.geo.stations[station];
  const numbers = index >= 0 && its.numbers?.(place);
  const own = numbers ? ` Number ${index} of these: ${minus(numbers[index].toFixed(3))}.` : "";
  return its.said(place) + own;
}

// ---- painting

function paintGrid(view, pen) {
  const { geo, T, colors } = view;
  for (const station of geo.stations) {
    const { numbers, times = 3 } = station;
    station.reach ??= numbers ? reach(everyToken(view, numbers), times) : 0;
    if (station.past !== undefined) paintPast(view, pen, station);
    if (station.from) {
      for (let t = 0; t < T; t++) paintLooks(view, pen, station, t, false);
    }
    for (let t = 0; t < T; t++) {
      const box = boxOf(geo, station, t);
      if (station.paint) station.paint(view, pen, box, t);
      if (station.guess) paintGuess(view, pen, box, station, t);
      if (station.numbers) paintNumbers(view, pen, stripBox(box, station), station, t);
    }
    if (numbers && !station.off) {
      const at = station.top + station.tall - (station.guess ? 3 : station.tall / 2 - 4);
      words(pen, `±${brief(station.reach)}`, geo.wide * T + 4, at, colors.soft, 11, "left");
    }
  }
}

export const brief = v => (v >= 10 ? v.toFixed(0) : v >= 1 ? v.toFixed(1) : v.toFixed(2));
export const everyToken = ({ T }, numbers) => Array.from({ length: T }, (_, t) => numbers(t));

// The way past a part, that the sum needs: a line from the row where it starts.
function paintPast({ geo, T, colors }, pen, { top, tall, past }) {
  const from = geo.stations[past];
  const [high, low] = [from.top + from.tall / 2, top + tall / 2];
  pen.strokeStyle = colors.ink;
  pen.globalAlpha = 0.45;
  pen.lineWidth = 1.2;
  for (let t = 0; t < T; t++) {
    const x = t * geo.wide + 1.5;
    pen.beginPath();
    pen.moveTo(x + 4, high);
    pen.quadraticCurveTo(x, high, x, high + 7);
    pen.lineTo(x, low - 7);
    pen.quadraticCurveTo(x, low, x + 4, low);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function paintNumbers(view, pen, box, station, t) {
  if (station.off) hatch(pen, box, view.colors.soft);
  else patch(view, pen, station.numbers(t), box, station.reach);
}

export function paintName({ colors, names }, pen, { x, y, w }, t) {
  words(pen, names[t], x + w / 2, y + 15, colors.ink, 14, "center", w + 6, 600);
}

export function paintToken(view, pen, box, t) {
  const { colors, ids } = view;
  const { x, y, w } = box;
  paintName(view, pen, box, t);
  words(pen, commas(ids[t]), x + w / 2, y + 30, colors.soft, 11, "center", w);
}

function paintGuess(view, pen, { x, y, w }, { guess, was, tall }, t) {
  const [piece, p] = guess(t);
  const color = rgb(p, view.dark);
  pen.fillStyle = css(color);
  pen.fillRect(x, y, w, 36);
  pen.strokeStyle = view.colors.line;
  pen.lineWidth = 1;
  pen.strokeRect(x - 0.5, y - 0.5, w + 1, tall + 1);
  words(pen, readable(piece), x + w / 2, y + 16, ink(color), 13, "center", w - 4, 500);
  words(pen, percent(p), x + w / 2, y + 30, ink(color), 11, "center", w - 4);
  if (was(t)[0] !== piece) changed(pen, x, y, w, color);
}

// A black corner: with all heads there was another word here.
function changed(pen, x, y, w, color) {
  pen.fillStyle = ink(color);
  pen.beginPath();
  pen.moveTo(x + w - 10, y);
  pen.lineTo(x + w, y);
  pen.lineTo(x + w, y + 10);
  pen.fill();
}

// A crowd of logits from low to high; the largest stands alone, far to the right.
export function paintCrowd({ crowd, words: next, colors }, pen, { x, y, w, h }, t) {
  const counts = crowd.counts[t];
  const most = Math.sqrt(Math.max(...counts));
  const step = w / counts.length;
  pen.fillStyle = colors.soft;
  counts.forEach((n, i) => {
    const tall = ((h - 8) * Math.sqrt(n)) / most;
    pen.fillRect(x + i * step, y + h - 2 - tall, Math.max(0.8, step - 0.4), tall);
  });
  const at = x + (w * (next[t][0][1] - crowd.low)) / (crowd.high - crowd.low);
  pen.fillStyle = colors.accent;
  pen.fillRect(at - 1.5, y + 2, 2.4, h - 4);
}

export function paintAnswer(view, pen, { x, y, w }, t) {
  const [piece, , p] = view.words[t][0];
  const { colors } = view;
  words(pen, readable(piece), x + w / 2, y + 15, colors.ink, 15, "center", w + 4, 700);
  words(pen, percent(p), x + w / 2, y + 31, colors.soft, 12, "center", w);
}

// From whom a token takes: a curve for each, as thick as the weight.
function paintLooks(view, pen, station, t, chosen) {
  const { geo, colors, dark } = view;
  const [high, low] = [station.top - station.gap + 2, station.top - 1];
  const weights = station.from(t);
  const x = s => (s + 0.5) * geo.wide;
  const middle = (high + low) / 2;
  pen.strokeStyle = chosen ? colors.accent : colors.ink;
  for (let s = 0; s <= t; s++) {
    if (weights[s] < (chosen ? 0.02 : 0.08)) continue;
    const end = x(t) + ((s + 0.5) / (t + 1) - 0.5) * 0.6 * geo.wide; // in order, side by side
    pen.globalAlpha = chosen ? 0.9 : (dark ? 0.16 : 0.1) + 0.2 * weights[s];
    pen.lineWidth = s === t && !chosen ? 1.5 : 0.6 + 6 * weights[s];
    pen.beginPath();
    pen.moveTo(x(s), high);
    pen.bezierCurveTo(x(s), middle, end, middle, end, low);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

// The column of the token, and a frame around the place itself.
function markGrid(view, pen, { place, station, index }) {
  const { geo, colors } = view;
  const [first, last] = [geo.stations[0], geo.stations.at(-1)];
  const column = boxOf(geo, first, place);
  pen.strokeStyle = colors.accent;
  pen.globalAlpha = 0.5;
  pen.lineWidth = 1;
  pen.strokeRect(
    column.x - 2.5,
    first.top - 1,
    column.w + 5,
    last.top + last.tall - first.top + 2,
  );
  pen.globalAlpha = 1;
  for (const its of geo.stations) if (its.from) paintLooks(view, pen, its, place, true);
  const its = geo.stations[station];
  const box = boxOf(geo, its, place);
  frame(pen, box, colors);
  if (index >= 0) markNumber(pen, stripBox(box, its), its.numbers(place).length, index, colors);
}

function paintGutter({ geo, colors }, pen, { station }) {
  const x = geo.gutter - 10;
  geo.stations.forEach(({ name, note, top, tall, guess }, i) => {
    const color = i === station ? colors.accent : colors.ink;
    const y = guess ? top + 22 : top + tall / 2 + 4 - (note ? 5 : 0);
    words(pen, name, x, y, color, 12.5, "right", x - 2, i === station ? 700 : 500);
    if (note) words(pen, note, x, y + 12, colors.soft, 10.5, "right", x - 2);
  });
}

export const gridZoom = stations => ({
  around: ({ geo, place }) => ({ x: place * geo.wide, w: geo.wide + MARGIN }),
  layout: gridLayout(stations),
  paint: paintGrid,
  mark: markGrid,
  gutter: paintGutter,
  hit: gridHit,
  step: gridStep,
  says: gridSays,
  numbers: (view, { station, place }) => view.geo.stations[station].numbers?.(place),
  deeper: ({ geo }, { station }) => geo.stations[station].deeper,
});
