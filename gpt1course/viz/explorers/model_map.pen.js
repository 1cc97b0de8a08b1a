// Drawing on canvas: letters, strips of numbers, frames.

import { SIGNS } from "./common.colors.js";

const FONT = "system-ui, sans-serif";

const SMALLEST = 10; // pixels of a letter

// What is wider than `most` is written smaller, and then cut.
export function words(pen, text, x, y, color, size, align, most = 400, weight = 400) {
  pen.font = `${weight} ${size}px ${FONT}`;
  const wide = pen.measureText(text).width;
  if (wide > most) pen.font = `${weight} ${Math.max(SMALLEST, (size * most) / wide)}px ${FONT}`;
  pen.fillStyle = color;
  pen.textAlign = align;
  pen.fillText(shortened(pen, String(text), most), x, y);
}

function shortened(pen, text, most) {
  if (pen.measureText(text).width <= most) return text;
  let n = [...text].length;
  const cut = () => `${[...text].slice(0, n).join("")}…`;
  while (n > 1 && pen.measureText(cut()).width > most) n--;
  return cut();
}

// So many columns that a patch of n numbers is about four times as wide as tall.
export const columnsOf = n => Math.ceil(Math.sqrt(4 * n));

// Numbers about 0 as a patch of colors: blue below, red above, the paper at 0.
export function patch(
  view,
  pen,
  values,
  { x, y, w, h },
  top,
  columns = columnsOf(values.length),
) {
  const rows = Math.ceil(values.length / columns);
  const { canvas, brush, image } = scratch(view, columns, rows);
  const hues = SIGNS[view.dark];
  for (let i = 0; i < values.length; i++) {
    const v = values[i] / top;
    const [r, g, b] = hues[v < 0 ? 0 : 1];
    image.data[4 * i] = r;
    image.data[4 * i + 1] = g;
    image.data[4 * i + 2] = b;
    image.data[4 * i + 3] = 255 * Math.min(1, Math.abs(v));
  }
  brush.putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(canvas, x, y, w, h);
}

// A small canvas of a pixel per number, one for each size.
function scratch(view, width, height) {
  view.scratch ??= {};
  const name = `${width} ${height}`;
  if (!view.scratch[name]) {
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const brush = canvas.getContext("2d", { willReadFrequently: true });
    view.scratch[name] = { canvas, brush, image: brush.createImageData(width, height) };
  }
  return view.scratch[name];
}

// Which of n numbers of a patch lies under a point; -1 where there is none.
export function numberAt({ x, y, w, h }, n, px, py) {
  const columns = columnsOf(n);
  const rows = Math.ceil(n / columns);
  const [i, j] = [Math.floor(((px - x) / w) * columns), Math.floor(((py - y) / h) * rows)];
  const at = j * columns + i;
  return i >= 0 && i < columns && j >= 0 && at < n ? at : -1;
}

export function markNumber(pen, { x, y, w, h }, n, index, colors) {
  const columns = columnsOf(n);
  const [cw, ch] = [w / columns, h / Math.ceil(n / columns)];
  const [cx, cy] = [x + (index % columns) * cw, y + Math.floor(index / columns) * ch];
  frame(pen, { x: cx - 1, y: cy - 1, w: cw + 2, h: ch + 2 }, colors, 1.5);
}

// Of two tones: seen on every color.
export function frame(pen, { x, y, w, h }, { ink: dark, paper }, width = 2) {
  pen.lineWidth = width + 2;
  pen.strokeStyle = paper;
  pen.strokeRect(x - 1, y - 1, w + 2, h + 2);
  pen.lineWidth = width;
  pen.strokeStyle = dark;
  pen.strokeRect(x - 1, y - 1, w + 2, h + 2);
}

export function hatch(pen, { x, y, w, h }, color) {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, w, h);
  pen.clip();
  pen.strokeStyle = color;
  pen.globalAlpha = 0.55;
  pen.lineWidth = 1;
  pen.beginPath();
  for (let at = x - h; at < x + w; at += 5) {
    pen.moveTo(at, y + h);
    pen.lineTo(at + h, y);
  }
  pen.stroke();
  pen.restore();
}

// A canvas as sharp as the screen; returns its pen, in pixels of the page.
export function sharp(canvas, W, H) {
  const ratio = Math.max(1, devicePixelRatio || 1);
  canvas.width = Math.round(W * ratio);
  canvas.height = Math.round(H * ratio);
  canvas.style.width = `${W}px`;
  canvas.style.height = `${H}px`;
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  return pen;
}
