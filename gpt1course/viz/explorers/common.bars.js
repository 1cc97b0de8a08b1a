// Bars of shares in a list, and bars of numbers about zero.

import { css, SIGNS } from "./common.colors.js";
import { el } from "./common.elements.js";

// A list of bars [word, share (0..1), number], written into the rows that are there.
export function bars(list, rows) {
  while (list.children.length > rows.length) list.lastChild.remove();
  rows.forEach(([word, share, number], i) => {
    const [name, track, num] = (list.children[i] ?? barRow(list)).children;
    name.textContent = word;
    name.title = word;
    stretch(track, share);
    num.textContent = number;
  });
}

function barRow(list) {
  const row = el("li", "", list);
  for (const cls of ["gx-word", "gx-track", "gx-num"]) el("span", cls, row);
  return row;
}

// A bar is the background of its track: nothing is laid out again, and nothing is one more
// layer of the page.
export function stretch(track, share) {
  track.style.setProperty("--fill", `${100 * share}%`);
}

// Each number stands up (red) or hangs down (blue) from the middle line; `top` fills half the
// height, what is larger is cut off there. Returns what draws other numbers into it.
export function strip(parent, dark) {
  const canvas = el("canvas", "gx-updown", parent);
  canvas.setAttribute("role", "img");
  const [down, up] = SIGNS[dark].map(css);
  return (values, top, name) => {
    Object.assign(canvas, { width: 3 * values.length, height: 72 });
    canvas.setAttribute("aria-label", name);
    const paint = canvas.getContext("2d");
    values.forEach((v, i) => {
      const tall = 36 * Math.min(1, Math.abs(v) / top);
      paint.fillStyle = v < 0 ? down : up;
      paint.fillRect(3 * i, v < 0 ? 36 : 36 - tall, 2.4, tall);
    });
  };
}
