// Rows of positions on a plane, their cosines as a map, and one row of the map as a curve.

import { argmax } from "../engine/sample.js";
import { axisNames, chart, levels, shape, through, ticks } from "./common.charts.js";
import { css, rgb, SIGNS, scaleOf, signedScale } from "./common.colors.js";
import { choice, slider } from "./common.controls.js";
import { addHeadline, el, liveRegion } from "./common.elements.js";
import { bigPicture } from "./common.matrix.js";
import { halves, onChange, setShared } from "./common.traits.js";
import { minus, percent, sum } from "./common.words.js";
import { start } from "./start.js";

const PLANE = 400; // the side of the plane, in its own units
const EDGE = 26;
const POINT_AT =
  "Point at a position in any of the three pictures. A click keeps it, Escape lets it go.";

function draw(model, root) {
  const view = { model, root, n: model.get("n"), names: model.get("names"), locked: false };
  view.dark = root.classList.contains("gx-dark");
  view.points = halves(model, "points"); // (tables, n, 2)
  view.cosines = halves(model, "likeness"); // (tables, n, n)
  view.table = model.get("table");
  view.place = model.get("place");
  const tip = "go to the position least like its neighbors";
  view.finding = addHeadline(root, tip, () => choose(view, oddest(view)));
  addControls(view);
  const cols = el("div", "gx-cols", root);
  addPlane(view, el("div", "gx-flat", cols));
  addMap(view, el("div", "gx-square", cols));
  view.said = liveRegion(root);
  view.line = chart(el("div", "gx-likeness", root), 210, 24, () => showLine(view));
  onPointing(view, view.line.svg, e => placeAlong(view, e));
  view.hint = el("p", "gx-note", root, POINT_AT);
  view.slider.row.addEventListener("keydown", e => {
    if (e.key !== "Escape" || !view.locked) return;
    e.stopPropagation(); // Escape leads out of the view only where nothing is kept
    lock(view, false);
  });
  onChange(view, ["table"], () => showTable(view));
  onChange(view, ["place"], () => show(view));
  showTable(view);
}

function addControls(view) {
  const { root, names, n } = view;
  const tables = Object.fromEntries(names.map((name, i) => [`t${i}`, name]));
  view.picker = choice(root, "table of positions", tables, `t${view.table}`, key => {
    setShared(view, { table: +key.slice(1) });
    showTable(view);
  });
  const options = { min: 0, max: n - 1, step: 1, value: view.place };
  view.slider = slider(root, "position", options, place => {
    choose(view, place);
    if (view.locked) lock(view, true);
  });
}

// ---- what is chosen, and what keeps it

function choose(view, place) {
  if (place === view.place) return;
  setShared(view, { place });
  show(view);
}

function lock(view, locked) {
  view.locked = locked;
  const kept = `Position ${view.place} is kept: Escape or a second click lets it go.`;
  view.hint.textContent = locked ? kept : POINT_AT;
  view.map.mark.classList.toggle("gx-locked", locked);
  // a click leaves the focus on no control, where Escape would not be heard
  if (locked) view.slider.input.focus({ preventScroll: true });
}

// Pointing follows the mouse until a click; at(event) is a position.
function onPointing(view, picture, at) {
  picture.addEventListener("mousemove", e => view.locked || choose(view, at(e)));
  picture.addEventListener("click", e => {
    choose(view, at(e));
    lock(view, !view.locked);
  });
}

// ---- the plane

function addPlane(view, parent) {
  view.planeTitle = el("p", "gx-title", parent);
  const frame = { viewBox: `0 0 ${PLANE} ${PLANE}`, role: "img" };
  view.plane = shape("svg", parent, frame);
  onPointing(view, view.plane, e => nearestPoint(view, e));
  const shadeOf = v => css(rgb(0.3 + 0.7 * v, view.dark));
  scaleOf(parent, "position 0", String(view.n - 1), shadeOf);
}

// Where the positions of this table lie in the plane: [x, y], as far apart as there is room.
function layOut({ points, table, n }) {
  const all = [...points.subarray(2 * n * table, 2 * n * (table + 1))];
  const ends = [0, 1].map(axis => {
    const values = all.filter((_, i) => i % 2 === axis);
    return [Math.min(...values), Math.max(...values)];
  });
  const size = Math.max(...ends.map(([low, high]) => high - low)) || 1;
  const scale = (PLANE - 2 * EDGE) / size;
  const put = (v, axis) => PLANE / 2 + scale * (v - (ends[axis][0] + ends[axis][1]) / 2);
  return Array.from({ length: n }, (_, i) => [
    put(all[2 * i], 0),
    PLANE - put(all[2 * i + 1], 1),
  ]);
}

function drawPlane(view) {
  const { plane, n, dark } = view;
  view.spots = layOut(view);
  plane.replaceChildren();
  shape("path", plane, { d: through(view.spots), class: "gx-thread" });
  view.spots.forEach(([cx, cy], i) => {
    const fill = css(rgb(0.3 + (0.7 * i) / n, dark));
    shape("circle", plane, { cx, cy, r: 3.4, fill });
  });
  const step = n > 100 ? 50 : Math.max(1, Math.floor(n / 5));
  for (let i = 0; i < n; i += step) {
    shape("text", plane, { ...outside(view, i, 19), class: "gx-halo" }, i);
  }
  view.ring = shape("circle", plane, { r: 8, class: "gx-ring" });
  view.tag = shape("text", plane, { class: "gx-halo gx-strong" });
}

// The place of a name: beside position i, away from the middle (distance > 0) or toward it.
function outside({ spots, n }, i, distance) {
  const [mx, my] = [0, 1].map(axis => sum(spots.map(spot => spot[axis])) / n);
  const [x, y] = spots[i];
  const share = distance / (Math.hypot(x - mx, y - my) || 1);
  return { x: x + share * (x - mx), y: y + share * (y - my) + 4, "text-anchor": "middle" };
}

function nearestPoint({ plane, spots }, e) {
  const box = plane.getBoundingClientRect();
  const x = ((e.clientX - box.left) / box.width) * PLANE;
  const y = ((e.clientY - box.top) / box.height) * PLANE;
  const away = spots.map(([a, b]) => Math.hypot(a - x, b - y));
  return away.indexOf(Math.min(...away));
}

// ---- the map of cosines

function addMap(view, parent) {
  const { n } = view;
  el("p", "gx-title", parent, "Cosine of each position with each other");
  const point = (row, click) => {
    if (row == null || (view.locked && !click)) return;
    choose(view, row);
    if (click) lock(view, !view.locked);
  };
  const over = row => point(row, false);
  view.map = bigPicture(parent, n, "gx-big", over, row => point(row, true));
  view.down = el("div", "gx-down", view.map.wrap);
  view.down.style.width = `${100 / n}%`;
  signedScale(parent, "−1", "1", view.dark);
  el("small", "", parent, "Position 0 is at the top left. Cosines below 0 are hatched.");
}

function rowOf({ cosines, table, n }, i) {
  return cosines.subarray((table * n + i) * n, (table * n + i + 1) * n);
}

function paintMap(view) {
  const { n, map, dark } = view;
  map.canvas.width = map.canvas.height = n;
  const ctx = map.canvas.getContext("2d");
  const image = ctx.createImageData(n, n);
  for (let i = 0; i < n; i++) {
    rowOf(view, i).forEach((v, j) => {
      const color = SIGNS[dark][v < 0 ? 0 : 1]; // as in signed()
      const hatch = v < 0 && (i + j) % 6 < 2 ? 0.35 : 1; // signs differ without color, too
      image.data.set([...color, 255 * hatch * Math.min(1, Math.abs(v))], 4 * (i * n + j));
    });
  }
  ctx.putImageData(image, 0, 0);
}

// ---- the chosen row as a curve

function placeAlong({ line, n }, e) {
  const { svg, W, L, right } = line;
  const box = svg.getBoundingClientRect();
  const share = (((e.clientX - box.left) / box.width) * W - L) / (right - L);
  return Math.max(0, Math.min(n - 1, Math.round(share * (n - 1))));
}

function showLine(view) {
  const { line, n, place } = view;
  const { svg, L, T, right, bottom } = line;
  const x = i => L + ((right - L) * i) / (n - 1);
  const y = v => T + ((bottom - T) * (1 - v)) / 2;
  svg.replaceChildren();
  levels(line, [-1, -0.5, 0, 0.5, 1], y, v => minus(v));
  for (const v of ticks(0, n - 1)) {
    shape("text", svg, { x: x(v), y: bottom + 16, "text-anchor": "middle" }, v);
  }
  axisNames(line, "position", `cosine with ${place}`);
  shape("line", svg, { x1: x(place), x2: x(place), y1: T, y2: bottom, class: "gx-now" });
  const d = through([...rowOf(view, place)].map((v, i) => [x(i), y(v)]));
  shape("path", svg, { d, class: "gx-row-line" });
  svg.setAttribute("aria-label", view.said.textContent);
}

// ---- all of it

function showTable(view) {
  const { model, table, n } = view;
  view.picker.set(`t${table}`);
  const held = percent(model.get("held")[table]);
  view.planeTitle.textContent = `${n} positions on two axes (${held} of the variance)`;
  drawPlane(view);
  paintMap(view);
  show(view);
}

function show(view) {
  const { place, n, map } = view;
  view.slider.set(place);
  const [cx, cy] = view.spots[place];
  view.ring.setAttribute("cx", cx);
  view.ring.setAttribute("cy", cy);
  for (const [k, v] of Object.entries(outside(view, place, -21))) view.tag.setAttribute(k, v);
  view.tag.textContent = place;
  map.mark.style.top = view.down.style.left = `${(100 * place) / n}%`;
  view.said.textContent = sentence(view);
  view.finding.textContent = findingOf(view);
  view.plane.setAttribute("aria-label", view.said.textContent);
  map.canvas.setAttribute("aria-label", view.said.textContent);
  showLine(view);
}

const besides = (place, n) => [place - 1, place + 1].filter(i => i >= 0 && i < n);

function findingOf(view) {
  const { place, n } = view;
  const row = rowOf(view, place);
  const others = [...row].map((v, i) => (i === place ? -2 : v));
  const best = argmax(others);
  const near = besides(place, n).includes(best) ? "its neighbor " : "";
  return (
    `Position ${place} is most like ${near}${best}: ` +
    `their cosine is ${minus(others[best].toFixed(2))}.`
  );
}

// The position whose neighbors are least like it; seen from there, the next such.
function oddest(view) {
  const { n, place } = view;
  const likeness = i => Math.max(...besides(i, n).map(j => rowOf(view, i)[j]));
  const all = Array.from({ length: n }, (_, i) => i).sort((a, b) => likeness(a) - likeness(b));
  return all[(all.indexOf(place) + 1) % Math.min(n, 4)] ?? all[0];
}

function sentence(view) {
  const { place, n, names, table } = view;
  const row = rowOf(view, place);
  const others = [...row].map((v, i) => (i === place ? -2 : v));
  const best = Math.max(...others);
  const beside = besides(place, n);
  const said = beside.map(i => `${minus(row[i].toFixed(2))} (position ${i})`).join(" and ");
  const away = others.filter((v, i) => v < 0 && i !== place).length;
  const neighbors = beside.length > 1 ? "neighbors" : "neighbor";
  return (
    `${names[table]}, position ${place}: cosine with its ${neighbors} ${said}. ` +
    `Most like position ${others.indexOf(best)} (${minus(best.toFixed(2))}); ` +
    `${away} of the ${n - 1} others point away from position ${place}, with a cosine below 0.`
  );
}

export default start(draw);
