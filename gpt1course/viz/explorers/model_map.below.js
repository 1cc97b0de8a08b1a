// Below the map: what its colors mean, what comes next, and the heads to turn down.

import { bars } from "./common.bars.js";
import { colorScale, SIGNS, scaleOf } from "./common.colors.js";
import { button, el } from "./common.elements.js";
import { isLineBreak, named, percent, plural, readable } from "./common.words.js";
import { factorSlider, showFactor, timesOf } from "./factor.js";
import { factorAt, isScaled } from "./model_map.numbers.js";
import { KEYS } from "./model_map.zooms.js";

export function addLegend({ dark }, root) {
  const box = el("div", "gx-map-legend", root);
  colorScale(box, dark, "probability 0", "1");
  const hue = v => {
    const [r, g, b] = SIGNS[dark][v < 0.5 ? 0 : 1];
    return `rgba(${r},${g},${b},${Math.abs(2 * v - 1)})`;
  };
  scaleOf(box, "numbers −", "+ (full color at the ± of the row)", hue);
  el("span", "gx-lab", box, "curves: whom attention looks at");
  el("p", "gx-note", root, KEYS);
}

export function addNext(view, parent) {
  const box = el("div", "gx-aside", parent);
  view.nextTitle = el("p", "gx-title", box);
  view.bars = el("ol", "gx-bars", box);
  view.more = button(box, "", () => view.ask({ text: goneOn(view) }));
  view.more.classList.add("gx-asks");
}

// The text with the likeliest word behind it.
function goneOn({ model, tokens, words: next, T }) {
  const piece = next[T - 1][0][0];
  const joins = !/(<\/w>|\n)$/.test(tokens[T - 1]);
  return model.get("shown").trimEnd() + (joins ? "" : " ") + readable(piece);
}

export function showNext(
  { words: next, names, bars: list, nextTitle, factors, more, T },
  place,
) {
  nextTitle.textContent = `What comes after “${names[place]}”`;
  // of the text's last word, whatever place is pointed at
  const piece = next[T - 1][0][0];
  more.textContent = `Write “${named(piece)}” after “${names[T - 1]}”`;
  more.hidden = isLineBreak(piece); // the field has one line
  const off = isScaled(factors);
  list.classList.toggle("gx-map-compared", off);
  bars(
    list,
    next[place].map(([piece, , p, whole]) => [
      named(piece),
      p,
      off ? `${percent(p)}, was ${percent(whole)}` : percent(p),
    ]),
  );
  next[place].forEach(([, , , whole], i) => {
    const was = off ? `${100 * whole}%` : "-9px";
    list.children[i].children[1].style.setProperty("--was", was);
  });
}

export function addSwitches(view, parent) {
  const { L, H } = view;
  const box = el("div", "gx-map-heads", parent);
  el("p", "gx-title", box, "Turn heads down");
  const grid = el("div", "gx-map-switches", box);
  grid.setAttribute("role", "group");
  grid.setAttribute("aria-label", "heads that are off; arrow keys move");
  grid.style.gridTemplateColumns = `max-content repeat(${H}, minmax(26px, 40px))`;
  view.switches = [];
  for (let block = 0; block < L; block++) {
    el("span", "gx-lab", grid, `block ${block}`);
    for (let head = 0; head < H; head++) {
      const b = el("button", "gx-map-switch gx-asks", grid, String(head));
      b.type = "button";
      b.setAttribute("aria-label", `block ${block}, head ${head} off`);
      b.addEventListener("focus", () => turnTo(view, block * H + head));
      b.addEventListener("click", () => toggle(view, block * H + head));
      view.switches.push(b);
    }
  }
  grid.addEventListener("keydown", e => roam(view, e));
  view.knob = factorSlider(box, 0.1, factor => setFactor(view, view.turned, factor));
  view.knob.row.classList.add("gx-asks");
  view.onAgain = button(box, "All heads on", () => {
    view.switches[view.turned].focus(); // the button will be hidden
    setFactors(view, {});
  });
  view.effect = el("p", "gx-note", box);
}

// One stop for Tab; arrow keys lead from switch to switch.
function roam({ switches, H }, e) {
  const d = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -H, ArrowDown: H }[e.key];
  const to = switches[switches.indexOf(document.activeElement) + d];
  if (!to) return;
  e.preventDefault();
  for (const b of switches) b.tabIndex = b === to ? 0 : -1;
  to.focus();
}

// A head is off, or if it is turned down at all, on again.
export function toggle(view, i) {
  setFactor(view, i, factorAt(view, i) < 1 ? 1 : 0);
}

function setFactor(view, i, factor) {
  view.turned = i;
  const { [i]: _, ...others } = view.factors;
  setFactors(view, factor < 1 ? { ...others, [i]: factor } : others);
}

function setFactors(view, factors) {
  view.factors = factors;
  view.ask({ factors });
  showSwitches(view);
}

// The head that the slider turns.
function turnTo(view, i) {
  view.turned = i;
  showKnob(view);
}

function showKnob(view) {
  showFactor(view.knob, view, view.turned, factorAt(view, view.turned));
}

export function showSwitches(view) {
  const { switches, factors, block, head, H, zoom, words: next, T } = view;
  const near = i => (zoom === "block" ? Math.floor(i / H) === block : i === block * H + head);
  const stop = Math.max(0, switches.indexOf(document.activeElement));
  switches.forEach((b, i) => {
    const factor = factorAt(view, i);
    b.setAttribute("aria-pressed", factor > 0 && factor < 1 ? "mixed" : !factor);
    b.style.setProperty("--keeps", `${100 * factor}%`);
    b.title = factor < 1 ? timesOf(factor) : "";
    b.classList.toggle("gx-map-near", zoom !== "model" && near(i));
    b.tabIndex = i === stop ? 0 : -1;
  });
  showKnob(view);
  const n = Object.keys(factors).length;
  const down = Object.values(factors).some(factor => factor > 0);
  const heads = plural(n, "head");
  view.onAgain.hidden = !n;
  const [now, whole] = [next[T - 1][0], view.whole.at(-1)[T - 1]];
  view.effect.textContent = !n
    ? "All are on. Switch one off, or turn it down, and see how the text goes on."
    : `${down ? `With ${heads} turned down` : `Without ${heads}`} the text goes on with ` +
      `“${named(now[0])}” ` +
      `${percent(now[2])}; with all heads it is “${named(whole[0])}” ${percent(whole[1])}. ` +
      "A filled corner marks a guess that changed.";
}
