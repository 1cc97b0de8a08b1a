// Shared by all explorers: elements, colors, arrays, controls, charts.

import { halfOf } from "../engine/numbers.js";
import palette from "../palette.json" with { type: "json" };

// ---- elements

export function el(tag, cls, parent, text) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text != null) e.textContent = text;
  // Notebook 7 takes arrow keys before they get here, unless the focused element says so
  if (tag === "input" || tag === "button") e.dataset.lmSuppressShortcuts = "true";
  if (parent) parent.appendChild(e);
  return e;
}

// A sentence that screen readers speak when it changes.
export function liveRegion(parent) {
  const p = el("p", "gx-live", parent);
  p.setAttribute("aria-live", "polite");
  return p;
}

// The headline: what is to be seen, in one sentence, and one thing to try. Its height does not
// change with its words. It is no live region: what liveRegion says tells the same in full.
export function addHeadline(root, tip, act) {
  const box = el("div", "gx-headline", root);
  const finding = el("p", "gx-finding", box);
  const line = el("p", "gx-try", box, "Try: ");
  button(line, tip, act).className = "gx-tip";
  return finding;
}

// What a headline says, and what its button then does.
export function setTip(finding, tip) {
  finding.nextSibling.lastChild.textContent = tip;
}

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

// tag: "td", or "th" for the row of headings.
export function tableRow(table, tag, texts, cls = "") {
  const row = el("tr", cls, table);
  for (const text of texts) el(tag, "", row, text);
}

// ---- colors, those of the static figures

export const { series: COLORS, roles: ROLES, magma: MAGMA } = palette;
export const BLUE = COLORS[0];
export const ORANGE = COLORS[1];
export const RED = COLORS[2];
const PURPLE = COLORS[3];
export const VIOLET = COLORS[5];
// darker than the fifth color: thin lines need the contrast
export const GRAY = ROLES.reference;
const STOPS = MAGMA.map(hex => [1, 3, 5].map(i => Number.parseInt(hex.slice(i, i + 2), 16)));

// 0..1 -> [r, g, b], interpolated between the stops; in the light theme 0 is pale.
export function rgb(v, dark) {
  const x = Math.min(1, Math.max(0, dark ? v : 1 - v)) * (STOPS.length - 1);
  const k = Math.min(STOPS.length - 2, Math.floor(x));
  const f = x - k;
  return [0, 1, 2].map(j => Math.round(STOPS[k][j] * (1 - f) + STOPS[k + 1][j] * f));
}

export const css = color => `rgb(${color.join(",")})`;

// Relative luminance (WCAG): 0 black, 1 white.
function luminance(color) {
  const [r, g, b] = color.map(v => {
    const x = v / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// White or black, what has more contrast.
export const ink = color => (luminance(color) < 0.179 ? "#fff" : "#000");

// The color of a name: that of its role, else the next one that no role here has.
export function hueOf(names, i) {
  const role = name => ROLES[name.replaceAll("_", " ")];
  const free = COLORS.filter(color => !names.map(role).includes(color));
  const before = names.slice(0, i).filter(name => !role(name)).length;
  return role(names[i]) ?? free[before % free.length];
}

// -1..1: blue below 0, red above it, the paper at 0.
export function signed(v) {
  const alpha = Math.min(1, Math.abs(v)).toFixed(3);
  return v < 0 ? `rgba(33,102,172,${alpha})` : `rgba(178,24,43,${alpha})`;
}

// The background of an element, and a color that is readable on it.
export function shade(element, v, dark) {
  const color = rgb(v, dark);
  element.style.background = css(color);
  element.style.color = ink(color);
}

// From pale to full, with what its ends stand for.
export const colorScale = (parent, dark, low, high) =>
  scaleOf(parent, low, high, v => css(rgb(v, dark)));

// From blue to red, with what its ends stand for.
export const signedScale = (parent, low, high) =>
  scaleOf(parent, low, high, v => signed(2 * v - 1));

export function scaleOf(parent, low, high, color) {
  const scale = el("div", "gx-scale", parent);
  const colors = [0, 0.25, 0.5, 0.75, 1].map(color);
  el("span", "", scale, low);
  el("i", "", scale).style.background = `linear-gradient(90deg, ${colors.join(",")})`;
  el("span", "", scale, high);
  return scale;
}

// JupyterLab says so; elsewhere (a static copy, VS Code) the paper below says it.
export function isDark(root) {
  const light = document.body.dataset.jpThemeLight;
  if (light != null) return light === "false";
  for (let e = root.isConnected ? root : document.body; e; e = e.parentElement) {
    const [r, g, b, alpha = 1] = getComputedStyle(e)
      .backgroundColor.match(/[\d.]+/g)
      .map(Number);
    if (alpha > 0.5) return luminance([r, g, b]) < 0.18;
  }
  return false;
}

// ---- words and numbers

export function readable(piece) {
  if (piece === "\n</w>" || piece === "\n") return "⏎";
  return piece.endsWith("</w>") && piece.length > 4 ? piece.slice(0, -4) : piece;
}

// Repeated tokens get their position.
export function labels(tokens) {
  const names = tokens.map(readable);
  const count = {};
  for (const name of names) count[name] = (count[name] || 0) + 1;
  return names.map((name, i) => (count[name] > 1 ? `${name} (${i})` : name));
}

// A piece alone, where its place in a text does not tell whether its word goes on.
export const named = piece => readable(piece) + (/<\/w>$|^<.*>$|^\n$/.test(piece) ? "" : "·");

// 38.1%, 4.0%, 0.25%, <0.1%; 0% and 100% only where it is so.
export function percent(p) {
  if (p > 1e-9 && p < 0.001) return "<0.1%";
  if (p > 0.9995 && p < 1 - 1e-9) return ">99.9%";
  return exactly(p, p < 0.01 ? 2 : 1);
}

// The same in whole percents.
export function rounded(p) {
  if (p > 1e-9 && p < 0.005) return "<1%";
  if (p > 0.995 && p < 1 - 1e-9) return ">99%";
  return exactly(p, 0);
}

export function exactly(p, digits) {
  const ends = p <= 1e-9 || p >= 1 - 1e-9;
  return `${(100 * p).toFixed(ends ? 0 : digits)}%`;
}

export const headName = ({ H }, head) => `block ${Math.floor(head / H)}, head ${head % H}`;
export const capital = text => text[0].toUpperCase() + text.slice(1);
export const plural = (n, word) => `${commas(n)} ${word}${n === 1 ? "" : "s"}`;
export const minus = text => String(text).replace("-", "−");
export const commas = n => n.toLocaleString("en");
export const sum = values => values.reduce((a, b) => a + b, 0);
// An entropy in words: how many equal chances would be as open.
export const evenly = bits => {
  const n = 2 ** bits;
  return `as open as an even choice among ${n < 100 ? n.toFixed(1) : commas(Math.round(n))}`;
};
export const bitsOf = p => (p > 0 ? -p * Math.log2(p) : 0); // what p adds to an entropy

// ---- arrays and traits of the model, as anywidget calls Python's side

// A copy, since a view may start anywhere.
export function bytes(model, name) {
  const view = model.get(name);
  return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
}

// The engine of a page gives the numbers themselves, perhaps from the page around this one,
// whose Float32Array is another class.
const isNumbers = given => given.BYTES_PER_ELEMENT === 4;

// Little-endian float32.
export function floats(model, name) {
  const given = model.get(name);
  return isNumbers(given) ? given : new Float32Array(bytes(model, name));
}

// Little-endian float16.
export function halves(model, name) {
  if (isNumbers(model.get(name))) return model.get(name);
  return Float32Array.from(new Uint16Array(bytes(model, name)), halfOf);
}

export function save(model, traits) {
  for (const [name, value] of Object.entries(traits)) model.set(name, value);
  model.save_changes();
}

// A choice made here: for this view and for Python.
export function setShared(view, traits) {
  Object.assign(view, traits);
  save(view.model, traits);
}

// A choice made elsewhere: act when a trait is no longer what this view shows.
export function onChange(view, names, act) {
  const { model } = view;
  for (const changed of names) {
    model.on(`change:${changed}`, () => {
      if (view[changed] === model.get(changed)) return;
      view[changed] = model.get(changed);
      act();
    });
  }
}

// What is asked of the model, and what is said meanwhile: an answer is counted even where it
// changes nothing, and none at all is said, too.
export function request(model, status, doing, hint = "") {
  let late = 0;
  const say = text => {
    clearTimeout(late);
    status.textContent = text;
  };
  const answered = () => say(model.get("message") || hint);
  for (const name of ["answers", "message"]) model.on(`change:${name}`, answered);
  answered();
  return traits => {
    if (Object.entries(traits).every(([name, value]) => model.get(name) === value)) return;
    say(doing);
    late = setTimeout(() => say(SILENCE), 10_000);
    save(model, traits);
  };
}

// A text to type, the trait `text`, which the model reads.
export function promptLine(model, root) {
  const line = textLine(root, "text", model.get("text"), "4em", text => ask({ text }));
  const hint = "Type a text and press Enter.";
  const ask = request(model, el("p", "gx-note gx-hint", root), "The model reads ...", hint);
  model.on("change:text", () => {
    line.value = model.get("text");
  });
}

const SILENCE =
  "No answer yet: the kernel is busy, or was restarted. After a restart, run this cell again.";

// ---- controls

let serial = 0;

export function slider(parent, name, options, onInput) {
  const { min, max, step, value, text = String, help = "" } = options;
  const row = el("div", "gx-control", parent);
  const label = el("label", "", row, name);
  const input = el("input", "", row);
  const id = `gx-${++serial}`;
  label.htmlFor = id;
  Object.assign(input, { type: "range", id, min, max, step });
  const out = el("output", "", row);
  if (help) input.title = label.title = help;
  const show = () => {
    out.textContent = text(+input.value);
    input.setAttribute("aria-valuetext", out.textContent);
  };
  const set = v => {
    input.value = v;
    show();
  };
  input.addEventListener("input", () => {
    show();
    onInput(+input.value);
  });
  set(value);
  return { row, input, set };
}

// Only the radio button that is chosen can be reached by Tab.
export function setChecked(buttons, chosen) {
  buttons.forEach((b, i) => {
    b.setAttribute("aria-checked", i === chosen);
    b.tabIndex = i === chosen ? 0 : -1;
  });
}

export const ONWARD = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

// One stop for Tab among many buttons; arrow keys lead from one to the next.
export function rovingTabindex(box, buttons) {
  const all = [...buttons];
  const reach = at => {
    all.forEach((b, i) => {
      b.tabIndex = i === at ? 0 : -1;
    });
  };
  reach(0);
  box.addEventListener("keydown", e => {
    const i = all.indexOf(document.activeElement);
    const to = i + (ONWARD[e.key] ?? all.length);
    if (i < 0 || !all[to]) return;
    e.preventDefault();
    reach(to);
    all[to].focus();
  });
}

// The group of radio buttons, still empty, with its name before them.
export function radioGroup(parent, name) {
  const box = el("div", "gx-choice", parent);
  box.setAttribute("role", "radiogroup");
  box.setAttribute("aria-label", name);
  el("span", "gx-name", box, name);
  return box;
}

export function radio(parent, text, onPick) {
  const b = el("button", "", parent, text);
  b.type = "button";
  b.setAttribute("role", "radio");
  b.setAttribute("aria-checked", "false"); // until one is chosen
  b.addEventListener("click", onPick);
  return b;
}

// Radio buttons; options: {key: text}.
export function choice(parent, name, options, value, onPick) {
  const box = radioGroup(parent, name);
  const keys = Object.keys(options);
  const buttons = keys.map(key => radio(box, options[key], () => pick(key)));
  const set = key => setChecked(buttons, keys.indexOf(key));
  function pick(key) {
    set(key);
    onPick(key);
  }
  box.addEventListener("keydown", e => {
    const d = ONWARD[e.key];
    if (!d) return;
    e.preventDefault();
    const i = (buttons.indexOf(document.activeElement) + d + keys.length) % keys.length;
    buttons[i].focus();
    pick(keys[i]);
  });
  set(value);
  return { box, set };
}

export function button(parent, text, onClick) {
  const b = el("button", "gx-button", parent, text);
  b.type = "button";
  b.addEventListener("click", onClick);
  return b;
}

// A line of text that is sent when Enter is pressed; the width is that of its name.
export function textLine(parent, name, value, width, onChange) {
  const row = el("div", "gx-control", parent);
  row.style.gridTemplateColumns = `${width} minmax(80px, 560px)`;
  return textInput(row, el("label", "", row, name), value, onChange);
}

export function nameBy(label, input) {
  input.id = label.htmlFor = `gx-${++serial}`;
}

export function textInput(parent, label, value, onChange) {
  const input = el("input", "gx-prompt", parent);
  nameBy(label, input);
  input.value = value;
  input.spellcheck = false;
  input.dir = "auto";
  input.addEventListener("change", () => onChange(input.value));
  return input;
}

// ---- a matrix: a pixel a cell, enlarged, with a button for each row

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
// pick(i) shows row i; tell() that the lock has changed.
export function lockedRows(root, pick, tell) {
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
  root.addEventListener("keydown", e => {
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

// ---- charts

export const NS = "http://www.w3.org/2000/svg";

export function shape(kind, parent, attributes, text) {
  const e = document.createElementNS(NS, kind);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text != null) e.textContent = text;
  parent.appendChild(e);
  return e;
}

// Room for curves: from L to right, from T to bottom; names stand in the margins. It is as
// wide as its place allows, and drawn anew when that changes: letters keep their size. On a
// phone the margin may be another: narrow.
export function chart(root, H, margin, redraw, narrow = margin) {
  const svg = shape("svg", root, { role: "img" });
  const room = { svg, H, L: 62, T: 14, bottom: H - 44 };
  const fit = () => {
    const W = Math.max(300, Math.min(720, root.clientWidth || 720));
    if (W === room.W) return false;
    room.narrow = W < 520;
    Object.assign(room, { W, right: W - (room.narrow ? narrow : margin) });
    svg.setAttribute("viewBox", `0 0 ${W} ${H}`);
    svg.style.width = `${W}px`;
    return true;
  };
  fit();
  new ResizeObserver(() => fit() && redraw()).observe(root);
  return room;
}

// Round numbers between low and high.
export function ticks(low, high, n = 5) {
  const raw = (high - low) / n;
  const ten = 10 ** Math.floor(Math.log10(raw));
  const gap = [1, 2, 5, 10].find(k => k * ten >= raw) * ten;
  const values = [];
  for (let v = Math.ceil(low / gap) * gap; v <= high + 1e-9; v += gap) {
    values.push(+v.toPrecision(6));
  }
  return values;
}

export function levels({ svg, L, right }, values, y, text) {
  for (const v of values) {
    shape("line", svg, { x1: L, x2: right, y1: y(v), y2: y(v), class: "gx-grid-line" });
    shape("text", svg, { x: L - 7, y: y(v) + 4, "text-anchor": "end" }, text(v));
  }
}

export function axisNames({ svg, H, L, T, right, bottom }, below, beside) {
  const middle = (T + bottom) / 2;
  shape("text", svg, { x: (L + right) / 2, y: H - 6, "text-anchor": "middle" }, below);
  const turned = { transform: `rotate(-90 14 ${middle})` };
  shape("text", svg, { x: 14, y: middle, "text-anchor": "middle", ...turned }, beside);
}

// Names at the ends of their lines, [height, name] each: moved apart where they would touch,
// and up again where they would leave the chart. sign(name, x, y) draws what goes before one.
export function writeEnds({ svg, right, bottom }, ends, sign = null) {
  const room = 13;
  const rows = ends.map(([height, name]) => [height, name]).sort((a, b) => a[0] - b[0]);
  rows.forEach((row, i) => {
    if (i) row[0] = Math.max(row[0], rows[i - 1][0] + room);
  });
  rows.reverse().forEach((row, i) => {
    row[0] = Math.min(row[0], i ? rows[i - 1][0] - room : bottom);
  });
  for (const [y, name] of rows) {
    sign?.(name, right + 12, y);
    shape("text", svg, { x: right + (sign ? 24 : 6), y: y + 4 }, name);
  }
}

// The d of a path through points [x, y].
export const through = points =>
  points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// ---- byte pairs

const PIECE_HUES = [BLUE, ORANGE, RED, PURPLE, VIOLET, GRAY];

// A piece keeps its color for as long as it lives, whatever its neighbors do.
export function hueOfPiece(piece) {
  const hash = [...piece].reduce((h, c) => (h * 31 + c.codePointAt(0)) % 9973, 7);
  return PIECE_HUES[hash % PIECE_HUES.length];
}

// A line across a square picture with a number at each tick: at(v) says where. It lies at
// the middle, or stands there if upright.
export function axis(svg, values, at, upright, side) {
  const middle = side / 2;
  const line = (a, b) => {
    const [x1, y1, x2, y2] = upright ? [middle, a, middle, b] : [a, middle, b, middle];
    shape("line", svg, { x1, y1, x2, y2, class: "gx-grid-line" });
  };
  line(0, side);
  for (const v of values.filter(v => v !== 0)) {
    const place = upright
      ? { x: middle - 5, y: at(v) + 4, "text-anchor": "end" }
      : { x: at(v), y: middle + 14, "text-anchor": "middle" };
    shape("text", svg, { ...place, class: "gx-tick" }, minus(v));
  }
}

// ---- a bar of numbers about zero

// Each number stands up (red) or hangs down (blue) from the middle line; `top` fills half the
// height, what is larger is cut off there. Returns what draws other numbers into it.
export function strip(parent, dark) {
  const canvas = el("canvas", "gx-updown", parent);
  canvas.setAttribute("role", "img");
  const [up, down] = dark ? ["#ff8a65", "#64b5f6"] : ["#b2182b", "#2166ac"];
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
