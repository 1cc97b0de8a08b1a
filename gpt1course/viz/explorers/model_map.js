// The whole model as a map, in four zooms: the model, a block, a head, one score. Each zoom
// is { layout, paint, mark, gutter, around, hit, step, says, numbers, deeper }, drawn on three
// canvases: what the text decides, over it what is pointed at, and the names beside both.

import { textLine } from "./common.controls.js";
import { addHeadline, button, el, liveRegion, setTip } from "./common.elements.js";
import { followText, request } from "./common.questions.js";
import { onChange, setShared } from "./common.traits.js";
import { headName, named, percent } from "./common.words.js";
import {
  addLegend,
  addNext,
  addSwitches,
  showNext,
  showSwitches,
  toggle,
} from "./model_map.below.js";
import { CELL } from "./model_map.cell.js";
import { glide } from "./model_map.flight.js";
import { gridZoom } from "./model_map.grid.js";
import { HEAD } from "./model_map.head.js";
import { factorAt, isScaled, readArrays, tellingLook } from "./model_map.numbers.js";
import { columnsOf, sharp } from "./model_map.pen.js";
import { blockStations, modelStations } from "./model_map.stations.js";
import { addWalk, walkTo } from "./model_map.walk.js";
import { DEPTHS, firstStation, KEYS } from "./model_map.zooms.js";
import { start } from "./start.js";

const MAPS = {
  model: gridZoom(modelStations),
  block: gridZoom(blockStations),
  head: HEAD,
  cell: CELL,
};
const CHOSEN = ["zoom", "block", "head", "place", "other", "factors"];

function draw(model, root) {
  const view = { model, root, dark: root.classList.contains("gx-dark"), index: -1, over: null };
  view.show = () => show(view);
  view.addPlate = () => addPlate(view);
  readTraits(view);
  readArrays(view);
  root.classList.add("gx-map");
  el("p", "gx-map-ask", root, "Where does the next word come from?");
  view.finding = addHeadline(root, "", () => toggle(view, sharpest(view)));
  root.querySelector(".gx-tip").classList.add("gx-asks");
  addText(view, root);
  addCrumbs(view, root);
  addWalk(view, root);
  addStage(view, root);
  view.said = liveRegion(root);
  addLegend(view, root);
  const cols = el("div", "gx-cols", root);
  addNext(view, cols);
  addSwitches(view, cols);
  view.turned = sharpest(view);
  model.on("change:answers", () => news(view));
  onChange(view, CHOSEN, () => later(view));
  // as wide as the view, and gone when that is drawn anew
  new ResizeObserver(() => resized(view)).observe(el("div", "", root));
  view.station = firstStation(view);
  show(view);
}

function readTraits(view) {
  view.answers = view.model.get("answers");
  for (const name of CHOSEN) view[name] = view.model.get(name);
}

// The colors of the page; none before the view is part of it.
function themeOf(root) {
  const style = getComputedStyle(root);
  const of = name => style.getPropertyValue(`--gx-${name}`).trim();
  return {
    ink: of("ink"),
    soft: of("soft"),
    line: of("line"),
    paper: of("paper"),
    accent: of("accent"),
  };
}

// Several choices made elsewhere at once are drawn once, with the way from zoom to zoom.
function later(view) {
  if (view.waits) return;
  view.waits = true;
  queueMicrotask(() => {
    view.waits = false;
    if (!view.root.isConnected) return;
    const before = DEPTHS.find(zoom => MAPS[zoom] === view.map);
    if (before !== view.zoom) Object.assign(view, { station: firstStation(view), index: -1 });
    glide(view, before, () => news(view));
  });
}

// A choice made elsewhere; or another text, or other heads: then all is read anew, and no
// place is drawn on the arrays of the text before. The page's engine tells of a shorter text
// before it tells of the place in it.
function news(view) {
  if (view.answers === view.model.get("answers")) return show(view);
  if (view.shown !== view.model.get("shown")) view.sharp = null;
  view.shown = view.model.get("shown");
  readTraits(view);
  readArrays(view);
  for (const name of ["place", "other"]) view[name] = Math.min(view[name], view.T - 1);
  Object.assign(view, { fresh: true, over: null, index: -1 });
  if (view.walk.at >= 0) walkTo(view, view.walk.at);
  else show(view);
}

// ---- the text

function addText(view, root) {
  const { model } = view;
  const line = textLine(root, "text", model.get("text"), "3em", text => ask({ text }));
  line.maxLength = 20_000;
  const hint = `Type a text of up to ${model.get("most")} tokens and press Enter.`;
  const ask = request(model, el("p", "gx-note gx-hint", root), "The model reads ...", hint);
  view.ask = ask;
  followText(model, line);
}

// ---- where we are, and how deep

function addCrumbs(view, root) {
  const bar = el("div", "gx-map-bar", root);
  const box = el("nav", "gx-map-crumbs", bar);
  box.setAttribute("aria-label", "zoom");
  view.crumbs = DEPTHS.map((zoom, i) => {
    if (i) el("span", "", box, "›").setAttribute("aria-hidden", "true");
    const crumb = el("button", "gx-map-crumb", box);
    crumb.type = "button";
    crumb.addEventListener("click", () => zoomTo(view, { zoom }));
    return crumb;
  });
  view.start = button(bar, "Walk through it", () => {
    walkTo(view, 0);
    view.walk.next.focus();
  });
  view.start.classList.add("gx-map-start");
}

function showCrumbs(view) {
  const { block, head, place, other, names, zoom } = view;
  const texts = [
    "model",
    `block ${block}`,
    `head ${head}`,
    `${names[place]} → ${names[other]}`,
  ];
  view.crumbs.forEach((crumb, i) => {
    crumb.textContent = texts[i];
    crumb.ariaCurrent = DEPTHS[i] === zoom ? "step" : null;
    crumb.classList.toggle("gx-map-deeper", i > DEPTHS.indexOf(zoom));
  });
}

// Another zoom, deeper or back.
function zoomTo(view, traits) {
  const before = view.zoom;
  const deeper = DEPTHS.indexOf(traits.zoom) > DEPTHS.indexOf(before);
  setShared(view, traits);
  view.station = firstStation(view);
  if (!deeper && view.zoom === "model") view.station = 4 + view.block;
  view.index = -1;
  glide(view, before, view.show);
}

// ---- the stage

function addStage(view, root) {
  const stage = el("div", "gx-map-stage", root);
  Object.assign(view, { stage, map: MAPS[view.zoom] });
  stage.tabIndex = 0;
  stage.setAttribute("role", "application");
  stage.setAttribute("aria-label", `map of the model. ${KEYS}`);
  addPlate(view);
  stage.addEventListener("keydown", e => onKey(view, e));
}

// What a zoom is drawn on; another comes for the next, while this one flies away.
function addPlate(view) {
  view.plate = el("div", "gx-map-plate", view.stage);
  for (const name of ["names", "base", "top"]) {
    view[`${name}Canvas`] = el("canvas", `gx-map-${name}`, view.plate);
  }
  const top = view.topCanvas;
  top.addEventListener("mousemove", e => point(view, placeUnder(view, e)));
  top.addEventListener("mouseleave", () => point(view, null));
  top.addEventListener("click", e => {
    const found = placeUnder(view, e);
    if (found) enter(view, found);
  });
}

const placeUnder = (view, e) => view.map.hit(view, e.offsetX, e.offsetY);

function point(view, found) {
  if (JSON.stringify(found) === JSON.stringify(view.over)) return;
  view.over = found;
  showPlace(view);
}

// Zoom in where there is something deeper; else only go there.
function enter(view, found) {
  const { station, index, ...traits } = found;
  Object.assign(view, { station, index, over: null });
  setShared(view, traits);
  const deeper = view.map.deeper(view, found);
  if (deeper) return zoomTo(view, deeper);
  show(view);
  view.said.append(" Nothing lies deeper here.");
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const FAR = { Home: [-1, 0], End: [1, 0], PageUp: [-1, 0], PageDown: [1, 0] };

function onKey(view, e) {
  const step = ARROWS[e.key] ?? FAR[e.key];
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.shiftKey && step) readNumber(view, step);
  else if (step) view.map.step(view, ...step, e.key in FAR);
  else if (!act(view, e.key, e)) return;
  e.preventDefault();
  e.stopPropagation();
  view.over = null;
  if (step) show(view);
}

// True where the key means something here.
function act(view, key) {
  const depth = DEPTHS.indexOf(view.zoom);
  if (key === "Enter") enter(view, cursor(view));
  else if (key === " ") walkTo(view, view.walk.at + 1);
  else if (key === "Escape" && depth > 0) zoomTo(view, { zoom: DEPTHS[depth - 1] });
  else if (key === "Escape" && view.walk.at >= 0) walkTo(view, -1);
  else if (key === "x" || key === "X") flip(view);
  else return false;
  return true;
}

const cursor = ({ station, place, other, index }) => ({ station, place, other, index });

// The strip under the cursor, number by number, row by row.
function readNumber(view, [dx, dy]) {
  const numbers = view.map.numbers(view, cursor(view));
  if (!numbers) return;
  const wide = DEPTHS.indexOf(view.zoom) < 2 ? columnsOf(numbers.length) : 8;
  const to = view.index < 0 ? 0 : view.index + dx + wide * dy;
  view.index = Math.max(0, Math.min(numbers.length - 1, to));
}

// X: the head under the cursor is switched off, or on again, where its switch can do that.
function flip(view) {
  const { zoom, station, H, geo, switches } = view;
  if (zoom === "model") return;
  const head = zoom === "block" ? geo.stations[station].head : view.head;
  const i = view.block * H + head;
  if (head !== undefined && !switches[i].disabled) toggle(view, i);
}

// ---- drawing

function resized(view) {
  const width = Math.floor(view.stage.clientWidth);
  const same = width === view.width && devicePixelRatio === view.ratio && view.colors.ink;
  if (!width || same) return;
  view.fresh = true;
  show(view);
}

function show(view) {
  const { zoom, block, head, place, other, stage } = view;
  view.map = MAPS[zoom];
  const scene = JSON.stringify([zoom, block, head, zoom === "cell" && [place, other]]);
  if (scene !== view.scene || view.fresh) {
    Object.assign(view, { scene, fresh: false, width: stage.clientWidth || 900 });
    view.ratio = devicePixelRatio;
    view.colors = themeOf(view.root);
    view.geo = view.map.layout(view);
    paintBase(view);
  }
  showCrumbs(view);
  showSwitches(view);
  showPlace(view);
  reveal(view);
}

// As tall as the tallest zoom of this text, at this width.
function tallest(view) {
  const key = `${view.width} ${view.T}`;
  if (view.tall?.key !== key) {
    const tall = Math.max(...DEPTHS.map(zoom => MAPS[zoom].layout(view).H));
    view.tall = { key, tall };
  }
  return view.tall.tall;
}

function paintBase(view) {
  const { geo, map, stage } = view;
  const pen = sharp(view.baseCanvas, geo.W, geo.H);
  map.paint(view, pen);
  view.topPen = sharp(view.topCanvas, geo.W, geo.H);
  view.gutterPen = sharp(view.namesCanvas, geo.gutter, geo.H);
  view.plate.style.width = `${geo.W + geo.gutter}px`;
  view.plate.style.height = `${geo.H}px`;
  stage.style.minHeight = `${tallest(view) + 2}px`; // with its borders: no jump below
  view.topCanvas.style.left = view.baseCanvas.style.left = `${geo.gutter}px`;
}

// What is pointed at, or where the keys are: its frame, its sentence, its next words.
function showPlace(view) {
  const { geo, map, topPen, gutterPen } = view;
  const at = view.over ?? cursor(view);
  topPen.clearRect(0, 0, geo.W, geo.H);
  map.mark(view, topPen, at);
  gutterPen.clearRect(0, 0, geo.gutter, geo.H);
  map.gutter(view, gutterPen, at);
  view.said.textContent = map.says(view, at);
  showNext(view, at.place);
  showFinding(view, at.place);
}

// From which block on the answer leads, with the heads that are on.
function showFinding(view, t) {
  const { lens, names, words: next, factors, finding } = view;
  const [piece, , p, whole] = next[t][0];
  const since = lens.findLastIndex(row => row[t][0][0] !== piece);
  const where = since < 0 ? "from the start" : `from block ${since} on`;
  const before = isScaled(factors) ? `, with all heads ${percent(whole)}` : "";
  const leads = `“${named(piece)}” leads ${where}: ${percent(p)}${before}`;
  finding.textContent = `After “${names[t]}”, ${leads}.`;
  const head = sharpest(view);
  const off = factorAt(view, head) < 1 ? "on again" : "off";
  setTip(finding, `switch ${headName(view, head)} ${off}`);
}

// The head of the walk: it looks hardest at one earlier token.
function sharpest(view) {
  view.sharp ??= tellingLook(view);
  return view.sharp.block * view.H + view.sharp.head;
}

// A wide map is scrolled to the place in question.
function reveal(view) {
  const { stage, geo, map } = view;
  const room = stage.clientWidth - geo.gutter;
  const { x, w } = map.around(view);
  if (x + w > stage.scrollLeft + room) stage.scrollLeft = x + w - room;
  if (x < stage.scrollLeft) stage.scrollLeft = x - 8;
}

export default start(draw, "map");
