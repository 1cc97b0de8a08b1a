// Motion only shows how what is there came to be: all is laid out as it ends, and begins
// elsewhere. So without motion nothing is missing, and what is stopped is at its end.

import { paint } from "./formats.stage.js";

const EASING = "cubic-bezier(.3, 0, .2, 1)";
const [ARRIVE, RUN, LEAVE] = [450, 600, 350]; // milliseconds
const MOST = 40; // parts of a row that move one by one; of more the whole row comes in

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function move(view, e, frames, delay, duration) {
  const flight = e.animate(frames, { delay, duration, easing: EASING, fill: "backwards" });
  view.flights.push(flight);
  return flight;
}

// Act when it is time, but not if the play is stopped before: copies cost nothing until then.
function cue(view, at, act) {
  move(view, view.stage, null, 0, at).onfinish = act;
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

// The whole way: texts from their boxes, special tokens, blocks, last states, answer. All
// places are read first, so that the page is laid out once.
export function play(view) {
  stop(view);
  if (isStill()) return;
  const { lines, states, block } = view;
  const boxes = view.forms[view.kind].fields.map(({ input }) => placeOf(input));
  const rows = placesOf(view);
  const homes = lines.map(({ line }) => boxOf(line));
  const strips = states.map(({ canvas }) => placeOf(canvas));
  const floor = block.offsetTop + block.offsetHeight;
  const home = { ...placeOf(view.stage), width: states[0].canvas.offsetWidth };
  const runs = lines.length * ARRIVE + ARRIVE;
  const meets = runs + lines.length * RUN + LEAVE - 100;
  lines.forEach((line, r) => {
    const at = runs + r * RUN;
    arrive(view, line.line, rows[r], sourcesOf(rows, boxes, r), r * ARRIVE);
    cue(view, at, () => run(view, line.line, homes[r], floor));
    leave(view, states[r].box, at + RUN - 100);
  });
  const adds = states.length > lines.length;
  if (adds) {
    cue(view, meets, () => meet(view, strips, home));
    move(view, states.at(-1).box, [{ opacity: 0 }, { opacity: 1 }], meets + LEAVE - 100, 200);
  }
  const ends = meets + (adds ? LEAVE + 100 : 0);
  move(view, view.layerName, [{ opacity: 0 }, { opacity: 1 }], ends, 200);
  const grow = [{ clipPath: "inset(0 100% 0 0)" }, { clipPath: "inset(0)" }];
  move(view, view.bar, grow, ends + 100, 500);
}

// ---- places

const placeOf = e => {
  const { left, top } = e.getBoundingClientRect();
  return { left, top };
};

// In the stage, as a copy of it is placed.
const boxOf = ({ offsetTop, offsetLeft, offsetWidth, offsetHeight }) => ({
  top: offsetTop,
  left: offsetLeft,
  width: offsetWidth,
  height: offsetHeight,
});

// Where each part is, by row; on a phone, where texts are broken anywhere, each token.
export function placesOf({ lines }) {
  const narrow = matchMedia("(max-width: 560px)").matches;
  return lines.map(({ parts }) =>
    parts.flatMap(({ text, box, chips }) => {
      const moved = narrow || !box ? chips : [box];
      return moved.map(e => ({ ...placeOf(e), e, text }));
    }),
  );
}

const ofText = (row, text) => row.filter(place => place.text === text);

// Where the texts of row r come from: from the row before, which has them already, or else
// from the box in which they were typed.
function sourcesOf(rows, boxes, r) {
  return boxes.map((box, text) => {
    const above = r ? ofText(rows[r - 1], text) : [];
    const own = ofText(rows[r], text);
    if (above.length) return above;
    return own.map(({ left }) => ({ left: box.left + left - own[0].left, top: box.top }));
  });
}

// ---- the steps of a play

function arrive(view, line, row, sources, at) {
  if (row.length > MOST) {
    move(view, line, [{ opacity: 0 }, { opacity: 1 }], at, ARRIVE);
    return;
  }
  const seen = sources.map(() => 0);
  let special = 0;
  row.forEach(({ e, left, top, text }, i) => {
    if (text < 0) {
      const way = !i ? [-60, 0] : i === row.length - 1 ? [60, 0] : [0, -40];
      move(view, e, from(...way), at + ARRIVE + 150 * special++, 250);
      return;
    }
    const source = sources[text][seen[text]++];
    move(view, e, from(source.left - left, source.top - top), at, ARRIVE);
  });
}

// A copy, which is gone when its flight ends.
function fly(view, ghost, style, frames, duration) {
  ghost.classList.add("gx-ghost");
  ghost.setAttribute("aria-hidden", "true");
  for (const [side, value] of Object.entries(style)) ghost.style[side] = `${value}px`;
  view.stage.append(ghost);
  move(view, ghost, frames, 0, duration).onfinish = () => ghost.remove();
}

// A copy of the row goes down into the blocks, which glow.
function run(view, line, { top, left, width, height }, floor) {
  const frames = [
    { transform: "none", opacity: 0 },
    { transform: "none", opacity: 0.9, offset: 0.1 },
    { transform: `translateY(${floor - top - height}px) scaleY(.4)`, opacity: 0 },
  ];
  fly(view, line.cloneNode(true), { top, left, width }, frames, RUN);
  const glow = [{ opacity: 0 }, { opacity: 0.5 }, { opacity: 0 }];
  move(view, view.block.firstChild, glow, RUN / 3, RUN);
}

function leave(view, box, at) {
  const frames = [
    { transform: "translateY(-30px)", opacity: 0 },
    { transform: "none", opacity: 1 },
  ];
  move(view, box, frames, at, LEAVE);
}

// Both states move onto the place of their sum.
function meet(view, strips, home) {
  const [one, two] = view.states;
  [one, two].forEach(({ canvas, state, top }, i) => {
    const ghost = canvas.cloneNode();
    paint(ghost, state, top, view.dark);
    const place = {
      left: strips[i].left - home.left,
      top: strips[i].top - home.top,
      width: home.width,
    };
    const [x, y] = ["left", "top"].map(side => strips[2][side] - strips[i][side]);
    const frames = [
      { transform: "none", opacity: 0 },
      { opacity: 0.9, offset: 0.1 },
      { transform: `translate(${x}px, ${y}px)`, opacity: 0.5 },
    ];
    fly(view, ghost, place, frames, LEAVE);
  });
}

// ---- an exchange

// The tokens of each text slide from where that text was.
export function slide(view, was, { i, j }) {
  if (isStill()) return;
  const places = placesOf(view);
  places.forEach((row, r) => {
    if (row.length > MOST) return;
    const seen = {};
    for (const { e, left, top, text } of row) {
      if (text < 0) continue;
      const source = text === i ? j : text === j ? i : text;
      const n = seen[text] ?? 0;
      seen[text] = n + 1;
      const place = [was[r], ...was].map(one => ofText(one, source)[n]).find(Boolean);
      if (place) move(view, e, from(place.left - left, place.top - top), 0, ARRIVE);
    }
  });
}

// The line of a text comes from the place of the other one.
export function slideField(row, by) {
  if (isStill()) return;
  const frames = [{ transform: `translateY(${by}px)` }, { transform: "none" }];
  row.animate(frames, { duration: 250, easing: EASING });
}
