// All heads as triangles, and the position embeddings as a path of points.

import { shape, through } from "./common.charts.js";
import { css, rgb } from "./common.colors.js";
import { el } from "./common.elements.js";
import { headName, rounded } from "./common.words.js";
import { WITHOUT } from "./learning.beside.js";

export function addHeads(view, parent) {
  const box = el("div", "gx-learn-heads", parent);
  el("h4", "gx-learn-part", box, "Where its heads look");
  view.heads = el("div", "gx-learn-triangles", box);
  view.headsNote = el("p", "gx-note", box);
}

// As many canvases as the model has heads: made when that changes.
function headTiles(view) {
  const { n_layer, n_head } = view.training.about;
  if (view.tiles?.length === n_layer * n_head) return view.tiles;
  view.heads.replaceChildren();
  view.heads.style.gridTemplateColumns = `repeat(${n_head}, minmax(0, 110px))`;
  view.tiles = Array.from({ length: n_layer * n_head }, (_, i) => {
    const canvas = el("canvas", "gx-big", view.heads);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", headName({ H: n_head }, i));
    canvas.title = headName({ H: n_head }, i);
    return canvas;
  });
  return view.tiles;
}

export function showHeads(view) {
  const { about, shown } = view.training;
  if (!about || !shown) return;
  view.heads.hidden = !shown.heads;
  if (!shown.heads) {
    view.headsNote.textContent = WITHOUT.heads(about);
    return;
  }
  const T = about.shown.length;
  headTiles(view).forEach((canvas, i) => {
    paintTriangle(canvas, shown.heads.subarray(i * T * T, (i + 1) * T * T), T, view.palette);
  });
  const text = about.shown.join("").replaceAll("\n", "⏎");
  view.headsNote.textContent =
    `A row is a character of “${text}”, a column is one that it may look at, itself or one ` +
    `before it, and the ${view.dark ? "brighter" : "darker"} a square, the more weight that ` +
    "one gets. Block 0 is above, the next one below it.";
}

function paintTriangle(canvas, weights, T, palette) {
  if (canvas.width !== T) Object.assign(canvas, { width: T, height: T });
  const paint = canvas.getContext("2d");
  const image = paint.createImageData(T, T);
  const colors = new Uint32Array(image.data.buffer);
  for (let t = 0; t < T; t++) {
    for (let s = 0; s <= t; s++) colors[t * T + s] = palette[weights[t * T + s]];
  }
  paint.putImageData(image, 0, 0);
}

// The color of each weight from 0 to 255, as the bytes of a pixel in one number.
export function paletteOf(dark) {
  const bytesOf = i => [...rgb(i / 255, dark), 255];
  return Uint32Array.from({ length: 256 }, (_, i) => {
    return new Uint32Array(Uint8Array.from(bytesOf(i)).buffer)[0];
  });
}

// ---- positions

const SIDE = 240;

export function addPositions(view, parent) {
  const box = el("div", "gx-learn-places", parent);
  el("h4", "gx-learn-part", box, "Its position embeddings");
  const none = "The positions, which have not been drawn yet";
  const named = { role: "img", "aria-label": none };
  view.places = shape("svg", box, { ...named, viewBox: `0 0 ${SIDE} ${SIDE}` });
  view.placesNote = el("p", "gx-note", box);
}

export function showPositions(view) {
  const { about, shown } = view.training;
  if (!about || !shown) return;
  view.places.style.display = shown.positions ? "" : "none";
  if (!shown.positions) {
    view.placesNote.textContent = WITHOUT.positions();
    return;
  }
  const { points, share } = shown.positions;
  const T = about.n_ctx;
  const most = points.reduce((m, x) => Math.max(m, Math.abs(x)), 1e-9);
  const at = t => [0, 1].map(k => SIDE / 2 + (0.46 * SIDE * points[2 * t + k]) / most);
  const all = Array.from({ length: T }, (_, t) => at(t));
  const svg = view.places;
  svg.replaceChildren();
  shape("path", svg, { d: through(all), fill: "none", class: "gx-grid-line" });
  all.forEach(([cx, cy], t) => {
    const fill = css(rgb(0.3 + (0.6 * t) / T, view.dark));
    shape("circle", svg, { cx, cy, r: 4, fill });
  });
  for (const t of [0, T >> 1, T - 1]) {
    const [x, y] = all[t];
    shape("text", svg, { x: x + 6, y: y - 5, class: "gx-tick" }, String(t));
  }
  const said =
    `Positions 0 to ${T - 1} in the two directions in which they differ most: ` +
    `${rounded(share)} of their variance. The farthest is ${most.toFixed(2)} from the middle.`;
  view.placesNote.textContent = said;
  svg.setAttribute("aria-label", said);
}
