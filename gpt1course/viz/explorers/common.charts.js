// Charts: shapes of SVG, axes, and names at the ends of lines.

import { minus } from "./common.words.js";

export const NS = "http://www.w3.org/2000/svg";

export function shape(kind, parent, attributes, text) {
  const e = document.createElementNS(NS, kind);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text != null) e.textContent = text;
  parent.appendChild(e);
  return e;
}

// Room for curves: from L to right, from T to bottom; names stand in the margins. It is as
// wide as its place allows, and drawn anew when that changes: letters keep their size. On a
// phone the margin may be another: narrow. root: goes away with the drawing, and so does what
// watches its width.
export function chart(root, H, margin, redraw, narrow = margin) {
  const svg = shape("svg", root, { role: "img" });
  const room = { svg, H, L: 62, T: 14, bottom: H - 44 };
  const fit = () => {
    const W = Math.max(300, Math.min(720, root.clientWidth || 720));
    if (W === room.W) return false;
    room.narrow = W < 520;
    Object.assign(room, { W, right: W - (room.narrow ? narrow : margin) });
    svg.setAttribute("viewBox", `0 0 ${W} ${H}`);
    svg.style.width = `${W}px`;
    return true;
  };
  fit();
  new ResizeObserver(() => fit() && redraw()).observe(root);
  return room;
}

// Round numbers between low and high.
export function ticks(low, high, n = 5) {
  const raw = (high - low) / n;
  const ten = 10 ** Math.floor(Math.log10(raw));
  const gap = [1, 2, 5, 10].find(k => k * ten >= raw) * ten;
  const values = [];
  for (let v = Math.ceil(low / gap) * gap; v <= high + 1e-9; v += gap) {
    values.push(+v.toPrecision(6));
  }
  return values;
}

export function levels({ svg, L, right }, values, y, text) {
  for (const v of values) {
    shape("line", svg, { x1: L, x2: right, y1: y(v), y2: y(v), class: "gx-grid-line" });
    shape("text", svg, { x: L - 7, y: y(v) + 4, "text-anchor": "end" }, text(v));
  }
}

export function axisNames({ svg, H, L, T, right, bottom }, below, beside) {
  const middle = (T + bottom) / 2;
  shape("text", svg, { x: (L + right) / 2, y: H - 6, "text-anchor": "middle" }, below);
  const turned = { transform: `rotate(-90 14 ${middle})` };
  shape("text", svg, { x: 14, y: middle, "text-anchor": "middle", ...turned }, beside);
}

// Names at the ends of their lines, [height, name] each: moved apart where they would touch,
// and up again where they would leave the chart. sign(name, x, y) draws what goes before one.
export function writeEnds({ svg, right, bottom }, ends, sign = null) {
  const room = 13;
  const rows = ends.map(([height, name]) => [height, name]).sort((a, b) => a[0] - b[0]);
  rows.forEach((row, i) => {
    if (i) row[0] = Math.max(row[0], rows[i - 1][0] + room);
  });
  rows.reverse().forEach((row, i) => {
    row[0] = Math.min(row[0], i ? rows[i - 1][0] - room : bottom);
  });
  for (const [y, name] of rows) {
    sign?.(name, right + 12, y);
    shape("text", svg, { x: right + (sign ? 24 : 6), y: y + 4 }, name);
  }
}

// The d of a path through points [x, y].
export const through = points =>
  points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// A line across a square picture with a number at each tick: at(v) says where. It lies at
// the middle, or stands there if upright.
export function axis(svg, values, at, upright, side) {
  const middle = side / 2;
  const line = (a, b) => {
    const [x1, y1, x2, y2] = upright ? [middle, a, middle, b] : [a, middle, b, middle];
    shape("line", svg, { x1, y1, x2, y2, class: "gx-grid-line" });
  };
  line(0, side);
  for (const v of values.filter(v => v !== 0)) {
    const place = upright
      ? { x: middle - 5, y: at(v) + 4, "text-anchor": "end" }
      : { x: at(v), y: middle + 14, "text-anchor": "middle" };
    shape("text", svg, { ...place, class: "gx-tick" }, minus(v));
  }
}
