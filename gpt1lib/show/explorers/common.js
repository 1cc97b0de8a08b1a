// Shared by all explorers: elements, colors, arrays, controls, charts. No dependencies.
// base.py puts COLORS and MAGMA, the colors of the static figures, before this.

// ---- elements

function el(tag, cls, parent, text) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text != null) e.textContent = text;
  // Notebook 7 takes arrow keys before they get here, unless the focused element says so
  if (tag === "input" || tag === "button") e.dataset.lmSuppressShortcuts = "true";
  if (parent) parent.appendChild(e);
  return e;
}

// A sentence that screen readers speak when it changes.
function live(parent) {
  const p = el("p", "gx-live", parent);
  p.setAttribute("aria-live", "polite");
  return p;
}

// A word, a bar as long as its share (0..1), a number: a row of a list of bars.
function bar(list, word, share, number) {
  const row = el("li", "", list);
  el("span", "gx-word", row, word);
  el("span", "gx-fill", el("span", "gx-track", row)).style.width = percent(share);
  el("span", "gx-num", row, number);
  return row;
}

// tag: "td", or "th" for the row of headings.
function tableRow(table, tag, texts, cls = "") {
  const row = el("tr", cls, table);
  for (const text of texts) el(tag, "", row, text);
}

// ---- colors

const BLUE = COLORS[0];
const ORANGE = COLORS[1];
const RED = COLORS[2];
const PURPLE = COLORS[3];
const VIOLET = COLORS[5];
const GRAY = "#7a7a80"; // darker than that of the figures: thin lines need the contrast
const HUES = [BLUE, RED, PURPLE, GRAY]; // of curves
const STOPS = MAGMA.map(hex => [1, 3, 5].map(i => Number.parseInt(hex.slice(i, i + 2), 16)));

// 0..1 -> [r, g, b], interpolated between the stops; in the light theme 0 is pale.
function rgb(v, dark) {
  const x = Math.min(1, Math.max(0, dark ? v : 1 - v)) * (STOPS.length - 1);
  const k = Math.min(STOPS.length - 2, Math.floor(x));
  const f = x - k;
  return [0, 1, 2].map(j => Math.round(STOPS[k][j] * (1 - f) + STOPS[k + 1][j] * f));
}

const css = color => `rgb(${color.join(",")})`;

// Relative luminance (WCAG): 0 black, 1 white.
function luminance(color) {
  const [r, g, b] = color.map(v => {
    const x = v / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const ink = color => (luminance(color) < 0.179 ? "#fff" : "#000"); // that with more contrast

// The background of an element, and a color that is readable on it.
function shade(element, v, dark) {
  const color = rgb(v, dark);
  element.style.background = css(color);
  element.style.color = ink(color);
}

// From pale to full, with what its ends stand for.
function colorScale(parent, dark, low, high) {
  const scale = el("div", "gx-scale", parent);
  const colors = [0, 0.25, 0.5, 0.75, 1].map(v => css(rgb(v, dark)));
  el("span", "", scale, low);
  el("i", "", scale).style.background = `linear-gradient(90deg, ${colors.join(",")})`;
  el("span", "", scale, high);
  return scale;
}

function isDark(root) {
  const body = document.body.dataset.jpThemeLight;
  if (body != null) return body === "false";
  return (
    window.matchMedia &&
    matchMedia("(prefers-color-scheme: dark)").matches &&
    getComputedStyle(root).getPropertyValue("--jp-layout-color0") === ""
  );
}

// ---- words and numbers

function readable(piece) {
  if (piece === "\n</w>" || piece === "\n") return "⏎";
  return piece.endsWith("</w>") && piece.length > 4 ? piece.slice(0, -4) : piece;
}

// Repeated tokens get their position.
function labels(tokens) {
  const names = tokens.map(readable);
  const count = {};
  for (const name of names) count[name] = (count[name] || 0) + 1;
  return names.map((name, i) => (count[name] > 1 ? `${name} (${i})` : name));
}

const percent = (p, digits = 1) => `${(100 * p).toFixed(digits)}%`;
const commas = n => n.toLocaleString("en");
const sum = values => values.reduce((a, b) => a + b, 0);
const bitsOf = p => (p > 0 ? -p * Math.log2(p) : 0); // what p adds to an entropy

// ---- arrays and traits of the model, as anywidget calls Python's side

// A copy, since a view may start anywhere.
function bytes(model, name) {
  const view = model.get(name);
  return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
}

const floats = (model, name) => new Float32Array(bytes(model, name)); // little-endian float32

// Little-endian float16.
function halves(model, name) {
  return Float32Array.from(new Uint16Array(bytes(model, name)), bits => {
    const sign = bits >> 15 ? -1 : 1;
    const power = (bits >> 10) & 31;
    const part = bits & 1023;
    if (power === 31) return part ? Number.NaN : sign * Infinity;
    return sign * (power ? (1 + part / 1024) * 2 ** (power - 15) : part * 2 ** -24);
  });
}

function save(model, traits) {
  for (const [name, value] of Object.entries(traits)) model.set(name, value);
  model.save_changes();
}

// A choice made here: for this view and for Python.
function keep(view, traits) {
  Object.assign(view, traits);
  save(view.model, traits);
}

// A choice made elsewhere: act when a trait is no longer what this view shows.
function follow(view, names, act) {
  const { model } = view;
  for (const changed of names) {
    model.on(`change:${changed}`, () => {
      if (names.every(name => view[name] === model.get(name))) return;
      for (const name of names) view[name] = model.get(name);
      act();
    });
  }
}

// ---- controls

let serial = 0;

function slider(parent, name, options, onInput) {
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
function check(buttons, chosen) {
  buttons.forEach((b, i) => {
    b.setAttribute("aria-checked", i === chosen);
    b.tabIndex = i === chosen ? 0 : -1;
  });
}

const ONWARD = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

// The group of radio buttons, still empty, with its name before them.
function radioGroup(parent, name) {
  const box = el("div", "gx-choice", parent);
  box.setAttribute("role", "radiogroup");
  box.setAttribute("aria-label", name);
  el("span", "gx-name", box, name);
  return box;
}

function radio(parent, text, onPick) {
  const b = el("button", "", parent, text);
  b.type = "button";
  b.setAttribute("role", "radio");
  b.addEventListener("click", onPick);
  return b;
}

// Radio buttons; options: {key: text}.
function choice(parent, name, options, value, onPick) {
  const box = radioGroup(parent, name);
  const keys = Object.keys(options);
  const buttons = keys.map(key => radio(box, options[key], () => pick(key)));
  const set = key => check(buttons, keys.indexOf(key));
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

function button(parent, text, onClick) {
  const b = el("button", "gx-button", parent, text);
  b.type = "button";
  b.addEventListener("click", onClick);
  return b;
}

// A line of text that is sent when Enter is pressed; the width is that of its name.
function textLine(parent, name, value, width, onChange) {
  const row = el("div", "gx-control", parent);
  row.style.gridTemplateColumns = `${width} minmax(120px, 560px)`;
  return textInput(row, el("label", "", row, name), value, onChange);
}

function textInput(parent, label, value, onChange) {
  const input = el("input", "gx-prompt", parent);
  input.id = label.htmlFor = `gx-${++serial}`;
  input.value = value;
  input.spellcheck = false;
  input.addEventListener("change", () => onChange(input.value));
  return input;
}

// ---- a matrix: a pixel a cell, enlarged, with a button for each row

function rowButtons(matrix, names, describe, pick) {
  const buttons = names.map((name, i) => {
    const b = el("button", "gx-row", matrix, name);
    b.type = "button";
    b.style.gridColumn = 1;
    b.style.gridRow = i + 2;
    b.setAttribute("aria-label", describe(name));
    for (const event of ["mouseenter", "focus", "click"]) {
      b.addEventListener(event, () => pick(i));
    }
    b.addEventListener("keydown", e => {
      const d = { ArrowDown: 1, ArrowUp: -1 }[e.key];
      if (!d || !buttons[i + d]) return;
      e.preventDefault();
      buttons[i + d].focus();
    });
    return b;
  });
  return buttons;
}

// The picture of n rows, a frame for one of them, and the cell under the mouse.
function bigPicture(matrix, n, cls, onCell) {
  const wrap = el("div", "gx-wrap", matrix);
  wrap.style.cssText = `grid-column:2;grid-row:2/${n + 2}`;
  const canvas = el("canvas", cls, wrap);
  const mark = el("div", "gx-mark", wrap);
  canvas.setAttribute("role", "img");
  mark.style.height = `${100 / n}%`;
  wrap.addEventListener("mousemove", e => {
    const box = canvas.getBoundingClientRect();
    const row = Math.floor(((e.clientY - box.top) / box.height) * n);
    const column = Math.floor(((e.clientX - box.left) / box.width) * n);
    if (row >= 0 && row < n && column >= 0 && column < n) onCell(row, column);
  });
  return { wrap, canvas, mark };
}

// ---- charts

const NS = "http://www.w3.org/2000/svg";

function shape(kind, parent, attributes, text) {
  const e = document.createElementNS(NS, kind);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text != null) e.textContent = text;
  parent.appendChild(e);
  return e;
}

// Room for curves: from L to right, from T to bottom; names stand in the margins.
function chart(root, H, margin) {
  const [W, L, T] = [720, 62, 14];
  const svg = shape("svg", root, { viewBox: `0 0 ${W} ${H}`, role: "img", width: "100%" });
  svg.style.maxWidth = `${W}px`;
  return { svg, W, H, L, T, right: W - margin, bottom: H - 44 };
}

// Round numbers between low and high.
function ticks(low, high, n = 5) {
  const raw = (high - low) / n;
  const ten = 10 ** Math.floor(Math.log10(raw));
  const gap = [1, 2, 5, 10].find(k => k * ten >= raw) * ten;
  const values = [];
  for (let v = Math.ceil(low / gap) * gap; v <= high + 1e-9; v += gap) {
    values.push(+v.toPrecision(6));
  }
  return values;
}

function levels({ svg, L, right }, values, y, text) {
  for (const v of values) {
    shape("line", svg, { x1: L, x2: right, y1: y(v), y2: y(v), class: "gx-grid-line" });
    shape("text", svg, { x: L - 7, y: y(v) + 4, "text-anchor": "end" }, text(v));
  }
}

function axisNames({ svg, H, L, T, right, bottom }, below, beside) {
  const middle = (T + bottom) / 2;
  shape("text", svg, { x: (L + right) / 2, y: H - 6, "text-anchor": "middle" }, below);
  const turned = { transform: `rotate(-90 14 ${middle})` };
  shape("text", svg, { x: 14, y: middle, "text-anchor": "middle", ...turned }, beside);
}

// The d of a path through points [x, y].
const through = points =>
  points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// ---- the start

// Each explorer defines draw(model, root); this wraps it for anywidget.
function start(draw) {
  return {
    render({ model, el: host }) {
      const root = el("div", "gx", host);
      root.classList.toggle("gx-dark", isDark(root));
      // JupyterLab binds arrow keys, Enter and letters in command mode: keep ours here.
      root.addEventListener("keydown", e => {
        if (e.key !== "Escape") e.stopPropagation();
      });
      draw(model, root);
      if (model.still) disableQuestions(root);
      setTimeout(() => hideStaticPicture(root), 0);
    },
  };
}

// In a static copy there is no model that could answer.
function disableQuestions(root) {
  for (const asks of root.querySelectorAll(".gx-prompt, .gx-asks input, button.gx-word")) {
    asks.disabled = true;
    asks.title = "In the notebook the model answers here.";
  }
}

// The picture above has done its duty once the live view runs.
function hideStaticPicture(root) {
  const area = root.closest(".jp-OutputArea");
  if (!area) return;
  for (const child of area.querySelectorAll(":scope > .jp-OutputArea-child")) {
    const still = child.querySelector("figure[data-static]");
    if (still && !child.contains(root)) child.style.display = "none";
  }
}
