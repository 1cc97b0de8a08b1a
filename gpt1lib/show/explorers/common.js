// Shared by all explorers: elements, controls, colors, keyboard. No dependencies.

function el(tag, cls, parent, text) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text != null) e.textContent = text;
  // Notebook 7 takes arrow keys before they get here, unless the focused element says so
  if (tag === "input" || tag === "button") e.dataset.lmSuppressShortcuts = "true";
  if (parent) parent.appendChild(e);
  return e;
}

// magma: the map of the static figures, sampled at nine points and interpolated
const MAGMA = ["#000004", "#1d1147", "#51127c", "#832681", "#b73779", "#e75263",
  "#fc8961", "#fec488", "#fcfdbf"].map(h => [1, 3, 5].map(i => parseInt(h.slice(i, i + 2), 16)));

function rgb(v, dark) {          // 0..1 -> [r, g, b]; light theme: 0 is pale
  const x = Math.min(1, Math.max(0, dark ? v : 1 - v)) * (MAGMA.length - 1);
  const k = Math.min(MAGMA.length - 2, Math.floor(x)), f = x - k;
  return [0, 1, 2].map(j => Math.round(MAGMA[k][j] * (1 - f) + MAGMA[k + 1][j] * f));
}
const css = c => `rgb(${c.join(",")})`;
const light = c => {              // relative luminance (WCAG): 0 black, 1 white
  const [r, g, b] = c.map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
};
const ink = c => light(c) < .179 ? "#fff" : "#000";   // the one with more contrast

function isDark(root) {
  const body = document.body.dataset.jpThemeLight;
  if (body != null) return body === "false";
  return window.matchMedia && matchMedia("(prefers-color-scheme: dark)").matches &&
    getComputedStyle(root).getPropertyValue("--jp-layout-color0") === "";
}

function readable(piece) {
  if (piece === "\n</w>" || piece === "\n") return "⏎";
  return piece.endsWith("</w>") && piece.length > 4 ? piece.slice(0, -4) : piece;
}
function labels(tokens) {        // repeated tokens get their position
  const names = tokens.map(readable), n = {};
  names.forEach(x => n[x] = (n[x] || 0) + 1);
  return names.map((x, i) => n[x] > 1 ? `${x} (${i})` : x);
}
const percent = (p, d = 1) => (100 * p).toFixed(d) + "%";

function bytes(model, name) {    // a copy, since a view may start anywhere
  const v = model.get(name);
  return v.buffer.slice(v.byteOffset, v.byteOffset + v.byteLength);
}
const floats = (model, name) => new Float32Array(bytes(model, name));   // little-endian float32

function halves(model, name) {   // little-endian float16
  return Float32Array.from(new Uint16Array(bytes(model, name)), b => {
    const sign = b >> 15 ? -1 : 1, power = b >> 10 & 31, part = b & 1023;
    if (power === 31) return part ? NaN : sign * Infinity;
    return sign * (power ? (1 + part / 1024) * 2 ** (power - 15) : part * 2 ** -24);
  });
}

let serial = 0;
function slider(parent, name, { min, max, step, value, text = String, help = "" }, onInput) {
  const row = el("div", "gx-control", parent), id = `gx-${++serial}`;
  const label = el("label", "", row, name);
  label.htmlFor = id;
  const input = el("input", "", row);
  Object.assign(input, { type: "range", id, min, max, step });
  const out = el("output", "", row);
  if (help) input.title = label.title = help;
  const show = () => { out.textContent = text(+input.value); input.setAttribute("aria-valuetext", out.textContent); };
  input.value = value;
  input.addEventListener("input", () => { show(); onInput(+input.value); });
  show();
  return { row, input, set(v) { input.value = v; show(); } };
}
function choice(parent, name, options, value, onPick) {  // radio buttons; options: {key: text}
  const box = el("div", "gx-choice", parent);
  box.setAttribute("role", "radiogroup");
  box.setAttribute("aria-label", name);
  el("span", "gx-name", box, name);
  const keys = Object.keys(options), buttons = keys.map(key => {
    const b = el("button", "", box, options[key]);
    b.type = "button";
    b.setAttribute("role", "radio");
    b.addEventListener("click", () => pick(key));
    return b;
  });
  function mark(key) {
    buttons.forEach((b, i) => { b.setAttribute("aria-checked", keys[i] === key); b.tabIndex = keys[i] === key ? 0 : -1; });
  }
  function pick(key) { mark(key); onPick(key); }
  box.addEventListener("keydown", e => {
    const d = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (!d) return;
    e.preventDefault();
    const i = (buttons.indexOf(document.activeElement) + d + keys.length) % keys.length;
    buttons[i].focus();
    pick(keys[i]);
  });
  mark(value);
  return { box, set: mark };
}
function button(parent, text, onClick) {
  const b = el("button", "gx-button", parent, text);
  b.type = "button";
  b.addEventListener("click", onClick);
  return b;
}
function live(parent) {          // a sentence that screen readers speak when it changes
  const p = el("p", "gx-live", parent);
  p.setAttribute("aria-live", "polite");
  return p;
}

const NS = "http://www.w3.org/2000/svg", HUES = ["#5790fc", "#e42536", "#964a8b", "#7a7a80"];
function shape(kind, parent, attributes, text) {
  const e = document.createElementNS(NS, kind);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text != null) e.textContent = text;
  parent.appendChild(e);
  return e;
}
function ticks(low, high, n = 5) {         // round numbers between low and high
  const raw = (high - low) / n, ten = 10 ** Math.floor(Math.log10(raw));
  const gap = [1, 2, 5, 10].find(k => k * ten >= raw) * ten, out = [];
  for (let v = Math.ceil(low / gap) * gap; v <= high + 1e-9; v += gap) out.push(+v.toPrecision(6));
  return out;
}

// Each explorer defines draw(model, root); this wraps it for anywidget.
function start(draw) {
  return {
    render({ model, el: host }) {
      const root = el("div", "gx", host);
      root.classList.toggle("gx-dark", isDark(root));
      // JupyterLab binds arrow keys, Enter and letters in command mode: keep ours here.
      root.addEventListener("keydown", e => { if (e.key !== "Escape") e.stopPropagation(); });
      draw(model, root);
      if (model.still) for (const asks of root.querySelectorAll(".gx-prompt, .gx-asks input, button.gx-word")) {
        asks.disabled = true;           // a static copy: no model behind it
        asks.title = "In the notebook the model answers here.";
      }
      // The static picture above has done its duty once this runs.
      setTimeout(() => {
        const area = root.closest(".jp-OutputArea");
        if (!area) return;
        for (const child of area.querySelectorAll(":scope > .jp-OutputArea-child"))
          if (!child.contains(root) && child.querySelector("figure[data-static]")) child.style.display = "none";
      }, 0);
    },
  };
}
