// A matrix: a pixel a cell, enlarged, with a button for each row.

import { el } from "./common.elements.js";

// An empty grid for the names of n rows and their picture, the names of the columns above it;
// a cell is so many pixels wide and tall.
export function matrixOf(parent, names, n, wide, tall, cls = "gx-col") {
  const matrix = el("div", "gx-matrix", parent);
  const across = names.length * wide;
  matrix.style.gridTemplate = `auto repeat(${n}, ${tall}px) / auto ${across}px`;
  matrix.style.maxWidth = "none";
  el("span", "", matrix);
  const top = el("div", "", matrix);
  const columns = `repeat(${names.length},${wide}px)`;
  top.style.cssText = `display:grid;grid-template-columns:${columns};align-items:end`;
  for (const name of names) el("span", cls, top, name);
  return matrix;
}

// Only the chosen row can be reached by Tab; arrow keys, Home and End lead to the others.
export function rowButtons(matrix, names, describe, rows) {
  const buttons = names.map((name, i) => {
    const b = el("button", "gx-row", matrix, name);
    b.type = "button";
    b.style.gridColumn = 1;
    b.style.gridRow = i + 2;
    b.setAttribute("aria-label", describe(name));
    b.addEventListener("mouseenter", () => rows.over(i));
    b.addEventListener("focus", () => rows.pick(i));
    b.addEventListener("mousedown", e => e.preventDefault()); // the click decides on the focus
    b.addEventListener("click", () => rows.lock(i));
    b.addEventListener("keydown", e => {
      const ends = { Home: 0, End: names.length - 1 };
      const to = ends[e.key] ?? i + ({ ArrowDown: 1, ArrowUp: -1 }[e.key] ?? names.length);
      if (!buttons[to]) return;
      e.preventDefault();
      buttons[to].focus();
    });
    return b;
  });
  rows.buttons = buttons;
  return buttons;
}

export function markRow(buttons, at) {
  buttons.forEach((b, i) => {
    b.classList.toggle("gx-on", i === at);
    b.tabIndex = i === at ? 0 : -1;
  });
}

export const KEPT = "Row kept: Escape or a second click lets it go.";

// A row follows the mouse until a click locks it; Escape, or a second click, frees it.
// pick(i) shows row i; tell() that the lock has changed. box: around the matrix, drawn anew
// with it, and not the view's root, where Escape leads back to the cell (start.js).
export function lockedRows(box, pick, tell) {
  const rows = { locked: -1, buttons: [] };
  const set = i => {
    rows.locked = i;
    tell();
  };
  rows.over = i => rows.locked < 0 && pick(i);
  rows.pick = i => {
    if (rows.locked >= 0) rows.locked = i;
    pick(i);
  };
  rows.lock = i => {
    set(rows.locked === i ? -1 : i);
    rows.buttons[i].focus({ preventScroll: true });
  };
  box.addEventListener("keydown", e => {
    if (e.key !== "Escape" || rows.locked < 0) return;
    e.stopPropagation();
    set(-1);
  });
  return rows;
}

// The picture of n rows, a frame for one of them, and the cell under the mouse: onCell()
// without one when the mouse leaves.
export function bigPicture(matrix, n, cls, onCell, onClick) {
  const wrap = el("div", "gx-wrap", matrix);
  wrap.style.cssText = `grid-column:2;grid-row:2/${n + 2}`;
  const canvas = el("canvas", cls, wrap);
  const mark = el("div", "gx-mark", wrap);
  canvas.setAttribute("role", "img");
  mark.style.height = `${100 / n}%`;
  const cellOf = act => e => {
    const box = canvas.getBoundingClientRect();
    const row = Math.floor(((e.clientY - box.top) / box.height) * n);
    const column = Math.floor(((e.clientX - box.left) / box.width) * n);
    if (row >= 0 && row < n && column >= 0 && column < n) act(row, column);
  };
  wrap.addEventListener("mousemove", cellOf(onCell));
  wrap.addEventListener("mouseleave", () => onCell());
  wrap.addEventListener("click", cellOf(onClick));
  return { wrap, canvas, mark };
}
