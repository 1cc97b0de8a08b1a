// Motion only shows how what is there came to be: all is laid out as it ends, and begins
// elsewhere. So without motion nothing is missing, and what is stopped is at its end.

import { paint } from "./formats.stage.js";

const EASING = "cubic-bezier(.3, 0, .2, 1)";
const [ARRIVE, RUN, LEAVE] = [450, 600, 350]; // milliseconds
const MOST = 80; // chips that move one by one; longer rows fade in

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function move(view, e, frames, delay, duration) {
  const flight = e.animate(frames, { delay, duration, easing: EASING, fill: "backwards" });
  view.flights.push(flight);
  return flight;
}

// Unseen until its time comes.
const from = (x, y) => {
  const away = `translate(${x}px, ${y}px)`;
  return [
    { transform: away, opacity: 0 },
    { opacity: 1, offset: 0.2 },
    { transform: "none", opacity: 1 },
  ];
};

// Everything at its end, at once.
export function stop(view) {
  for (const flight of view.flights.splice(0)) flight.cancel();
  for (const ghost of view.stage.querySelectorAll(".gx-ghost")) ghost.remove();
}

// The whole way: texts from their boxes, special tokens, blocks, last states, answer.
export function play(view) {
  stop(view);
  if (isStill()) return;
  const boxes = view.forms[view.kind].fields.map(({ input }) => input.getBoundingClientRect());
  const places = placesOf(view);
  let at = 0;
  view.lines.forEach((line, r) => {
    arrive(view, line, places[r], sourcesOf(places, boxes, r), at);
    at += ARRIVE;
  });
  at += ARRIVE;
  view.lines.forEach((line, r) => {
    run(view, line, at);
    leave(view, view.states[r].box, at + RUN - 100);
    at += RUN;
  });
  at += LEAVE - 100;
  if (view.states.length > view.lines.length) at = meet(view, at);
  move(view, view.layerName, [{ opacity: 0 }, { opacity: 1 }], at, 200);
  const grow = [{ clipPath: "inset(0 100% 0 0)" }, { clipPath: "inset(0)" }];
  move(view, view.bar, grow, at + 100, 500);
}

// Where each chip is, by row.
export function placesOf({ lines }) {
  return lines.map(({ chips, texts }) =>
    chips.map((chip, i) => {
      const { left, top } = chip.getBoundingClientRect();
      return { left, top, text: texts[i] };
    }),
  );
}

const ofText = (row, text) => row.filter(place => place.text === text);

// Where the texts of row r come from: from the row before, which has them already, or else
// from the box in which they were typed.
function sourcesOf(places, boxes, r) {
  return boxes.map((box, text) => {
    const above = r ? ofText(places[r - 1], text) : [];
    const own = ofText(places[r], text);
    if (above.length) return above;
    return own.map(({ left }) => ({ left: box.left + left - own[0].left, top: box.top }));
  });
}

function arrive(view, { line, chips, texts }, row, sources, at) {
  if (chips.length > MOST)
    return move(view, line, [{ opacity: 0 }, { opacity: 1 }], at, ARRIVE);
  const seen = sources.map(() => 0);
  let special = 0;
  chips.forEach((chip, i) => {
    const text = texts[i];
    if (text < 0) {
      const way = !i ? [-60, 0] : i === chips.length - 1 ? [60, 0] : [0, -40];
      move(view, chip, from(...way), at + ARRIVE + 150 * special++, 250);
      return;
    }
    const { left, top } = sources[text][seen[text]++];
    move(view, chip, from(left - row[i].left, top - row[i].top), at, ARRIVE);
  });
}

// A copy of the row goes down into the blocks, which glow.
function run(view, { line }, at) {
  const { block, stage } = view;
  const ghost = line.cloneNode(true);
  ghost.classList.add("gx-ghost");
  ghost.setAttribute("aria-hidden", "true");
  for (const [side, value] of Object.entries({
    top: line.offsetTop,
    left: line.offsetLeft,
    width: line.offsetWidth,
  })) {
    ghost.style[side] = `${value}px`;
  }
  stage.append(ghost);
  const down = block.offsetTop - line.offsetTop - line.offsetHeight + block.offsetHeight;
  const frames = [
    { transform: "none", opacity: 0 },
    { transform: "none", opacity: 0.9, offset: 0.1 },
    { transform: `translateY(${down}px) scaleY(.4)`, opacity: 0 },
  ];
  move(view, ghost, frames, at, RUN).onfinish = () => ghost.remove();
  const glow = [{ opacity: 0 }, { opacity: 0.5 }, { opacity: 0 }];
  move(view, block.firstChild, glow, at + RUN / 3, RUN);
}

function leave(view, box, at) {
  move(
    view,
    box,
    [
      { transform: "translateY(-30px)", opacity: 0 },
      { transform: "none", opacity: 1 },
    ],
    at,
    LEAVE,
  );
}

// Both states move onto the place of their sum; returns when they are there.
function meet(view, at) {
  const [one, two, both] = view.states;
  for (const { canvas, state, top } of [one, two]) {
    const ghost = canvas.cloneNode();
    ghost.classList.add("gx-ghost");
    ghost.setAttribute("aria-hidden", "true");
    paint(ghost, state, top);
    const [a, b] = [canvas, both.canvas].map(e => e.getBoundingClientRect());
    const home = view.stage.getBoundingClientRect();
    ghost.style.cssText = `left:${a.left - home.left}px;top:${a.top - home.top}px;width:${a.width}px`;
    view.stage.append(ghost);
    const frames = [
      { transform: "none", opacity: 0 },
      { opacity: 0.9, offset: 0.1 },
      { transform: `translate(${b.left - a.left}px, ${b.top - a.top}px)`, opacity: 0.5 },
    ];
    move(view, ghost, frames, at, LEAVE).onfinish = () => ghost.remove();
  }
  move(view, both.box, [{ opacity: 0 }, { opacity: 1 }], at + LEAVE - 100, 200);
  return at + LEAVE + 100;
}

// After an exchange: the tokens of each text slide from where that text was.
export function slide(view, was, { i, j }) {
  if (isStill()) return;
  const now = placesOf(view);
  view.lines.forEach(({ chips, texts }, r) => {
    if (chips.length > MOST) return;
    const seen = {};
    chips.forEach((chip, k) => {
      const text = texts[k];
      if (text < 0) return;
      const source = text === i ? j : text === j ? i : text;
      const n = seen[text] ?? 0;
      seen[text] = n + 1;
      const place = [was[r], ...was].map(row => ofText(row, source)[n]).find(Boolean);
      if (!place) return;
      move(view, chip, from(place.left - now[r][k].left, place.top - now[r][k].top), 0, ARRIVE);
    });
  });
}

// The line of a text comes from the place of the other one.
export function slideField(row, by) {
  if (isStill()) return;
  const frames = [{ transform: `translateY(${by}px)` }, { transform: "none" }];
  row.animate(frames, { duration: 250, easing: EASING });
}
