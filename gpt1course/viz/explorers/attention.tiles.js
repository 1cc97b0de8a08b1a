// A small picture of each head, in a grid of blocks and heads, of which one is chosen.

import { el } from "./common.elements.js";

// room: pixels for a row of them; pick(head): another one is chosen, by mouse or arrow key.
// Returns the buttons, each with an empty canvas.
export function addHeadTiles(parent, { L, H }, room, pick) {
  const grid = el("div", "gx-grid", parent);
  const size = Math.max(24, Math.min(72, Math.floor(room / H)));
  grid.style.gridTemplateColumns = `4em repeat(${H}, minmax(0, ${size}px))`;
  grid.style.gap = H > 6 ? "3px" : "5px";
  grid.setAttribute("role", "radiogroup");
  grid.setAttribute("aria-label", "attention heads, one row per block; arrow keys move");
  el("span", "gx-lab", grid, H > 6 ? "head" : "");
  for (let h = 0; h < H; h++) el("span", "gx-lab", grid, H > 6 ? h : `head ${h}`);
  const tiles = [];
  for (let l = 0; l < L; l++) {
    el("span", "gx-lab", grid, `block ${l}`);
    for (let h = 0; h < H; h++) tiles.push(tile(grid, tiles, l * H + h, H, pick));
  }
  return tiles;
}

function tile(grid, tiles, head, H, pick) {
  const b = el("button", "gx-tile", grid);
  b.type = "button";
  b.setAttribute("role", "radio");
  b.addEventListener("click", () => pick(head));
  b.addEventListener("keydown", e => {
    const d = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: H, ArrowUp: -H }[e.key];
    if (d == null) return;
    e.preventDefault();
    if (!tiles[head + d]) return;
    pick(head + d);
    tiles[head + d].focus();
  });
  el("canvas", "gx-hatch", b);
  return b;
}
