// The walk: one sentence per station, and the picture that goes with it. It goes on by Space,
// by its button or along its line, never by itself.

import { slider } from "./common.controls.js";
import { button, el } from "./common.elements.js";
import { setShared } from "./common.traits.js";
import { commas, named, percent, plural } from "./common.words.js";
import { glide } from "./model_map.flight.js";
import { neuronsAt, scoreOf, tellingLook, two } from "./model_map.numbers.js";
import { firstStation } from "./model_map.zooms.js";

// Steps [where, words]: the traits and the station of a place, and what is said there.
function walkSteps(view) {
  const look = tellingLook(view);
  const said = walkWords(view, look);
  return walkPlaces(view, look).map((where, i) => [where, said[i]]);
}

function walkPlaces({ T, H, L }, { block, head, place, other }) {
  const model = station => ({ zoom: "model", place: T - 1, station });
  const inside = (zoom, station) => ({ zoom, block, head, place, other, station });
  return [
    model(0),
    model(3),
    model(4),
    inside("block", 2 + head),
    inside("head", "scores"),
    inside("cell"),
    inside("head", "weights"),
    inside("block", H + 5),
    model(L + 5),
  ];
}

function walkWords(view, { block, head, place, other, weight }) {
  const { T, V, C, D, L, names, ids } = view;
  const [last, from, to] = [T - 1, place, other].map(t => `“${names[t]}”`);
  const score = two(scoreOf(view, block, head, place, other));
  const fire = neuronsAt(view, block, place).filter(v => v > 0).length;
  const [piece, , p] = view.words[T - 1][0];
  const early = named(view.lens[1][T - 1][0][0]);
  return [
    `The text is cut into ${plural(T, "token")}. All that the model is told of ${last} is a ` +
      `number: ${commas(ids[T - 1])}.`,
    `The number picks a row of Wₑ, the place a row of Wₚ. Their sum, ${C} numbers, is the ` +
      "state of the token.",
    `Each of ${L} blocks rewrites all states. The word in a cell is what the model would ` +
      `guess if it ended there: after block 0, “${early}”.`,
    `Inside block ${block}. Its heads bring every token something from others: the curves ` +
      `above head ${head} show where ${from} takes it from.`,
    `Inside head ${head}. It makes a query q of ${from} and a key k of ${to}; how well the ` +
      `two fit is one number, the score ${score}.`,
    `Inside the score: ${D} products of two numbers each, added up and divided by √${D}.`,
    "Tokens that come later are masked, and softmax turns each row into weights: " +
      `${from} takes ${percent(weight)} from ${to}.`,
    "Back in the block: what the heads brought is added and normalized. Then " +
      `${commas(4 * C)} neurons look at each token alone; at ${from}, ${fire} of them fire.`,
    `After the last block the state of ${last} meets Wₑ again: ${commas(V)} logits. Softmax ` +
      `makes them probabilities, and “${named(piece)}” leads with ${percent(p)}.`,
  ];
}

export function addWalk(view, root) {
  const box = el("div", "gx-map-walk", root);
  view.walk = { box, at: -1 };
  view.walk.words = el("p", "gx-map-step", box);
  view.walk.words.setAttribute("aria-live", "polite");
  const buttons = el("div", "gx-map-turns", box);
  view.walk.back = button(buttons, "Back", () => walkTo(view, view.walk.at - 1));
  view.walk.next = button(buttons, "Next (Space)", () => walkTo(view, view.walk.at + 1));
  button(buttons, "End the walk", () => walkTo(view, -1));
  view.walk.back.disabled = true;
  box.hidden = true;
  addTimeline(view, root);
}

// The stations of the walk in a line: dragged, or by the arrow keys, it goes to each of them,
// and at its start back to where the walk began.
const WAYPOINTS = [
  "start",
  "token",
  "two rows",
  "blocks",
  "heads",
  "query and key",
  "one score",
  "softmax",
  "neurons",
  "logits",
];

function addTimeline(view, root) {
  const box = el("div", "gx-map-timeline", root);
  const options = {
    min: 0,
    max: WAYPOINTS.length - 1,
    step: 1,
    value: 0,
    text: i => WAYPOINTS[i],
  };
  view.walk.line = slider(box, "a token's path", options, at => lineTo(view, at));
  const names = el("ol", "", box);
  names.setAttribute("aria-hidden", "true"); // the slider tells them
  view.walk.stops = WAYPOINTS.map((name, i) => {
    const stop = el("li", "", names, name);
    stop.addEventListener("click", () => lineTo(view, i));
    return stop;
  });
  showTimeline(view);
}

// place: on the line, where 0 is the start and 1 the first step.
function lineTo(view, place) {
  const { before } = view.walk;
  walkTo(view, place - 1);
  if (place > 0 || !before) return;
  const { station, index, ...traits } = before;
  Object.assign(view, { station, index });
  goTo(view, traits);
}

function showTimeline({ walk }) {
  walk.stops.forEach((stop, i) => {
    stop.className = i === walk.at + 1 ? "gx-on" : "";
  });
  walk.line.set(walk.at + 1);
}

// Where the reader is: the station, and what is chosen to be seen.
function placeOf(view) {
  const names = ["station", "index", "zoom", "block", "head", "place", "other"];
  return Object.fromEntries(names.map(name => [name, view[name]]));
}

// at: which step; -1, or one after the last, ends the walk.
export function walkTo(view, at) {
  const { walk } = view;
  const steps = walkSteps(view);
  const within = !walk.box.hidden && walk.box.contains(document.activeElement);
  if (walk.at < 0) walk.before = placeOf(view);
  walk.at = at < steps.length ? at : -1;
  showTimeline(view);
  walk.box.hidden = walk.at < 0;
  view.start.hidden = walk.at >= 0;
  walk.words.textContent = "";
  walk.back.disabled = walk.at <= 0;
  if (walk.at < 0) return within && view.stage.focus({ preventScroll: true });
  const [where, text] = steps[walk.at];
  el("b", "", walk.words, `${walk.at + 1} of ${steps.length}  `);
  walk.words.append(text);
  walk.next.textContent = walk.at === steps.length - 1 ? "Done (Space)" : "Next (Space)";
  const { station, ...traits } = where;
  view.station = station;
  view.index = -1;
  goTo(view, traits);
}

// Traits of a place that may lie in another zoom; view.station is set.
function goTo(view, traits) {
  const before = view.zoom;
  setShared(view, traits);
  view.station ??= firstStation(view);
  glide(view, before, view.show);
}
