// Below the map: what its colors mean, what comes next, and the heads to switch off.

import {
  bars,
  button,
  colorScale,
  el,
  named,
  percent,
  plural,
  readable,
  scaleOf,
} from "./common.js";
import { SIGNS } from "./model_map.pen.js";
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
  { words: next, names, bars: list, nextTitle, ablated, more, T },
  place,
) {
  nextTitle.textContent = `What comes after “${names[place]}”`;
  // of the text's last word, whatever place is pointed at
  more.textContent = `Write “${named(next[T - 1][0][0])}” after “${names[T - 1]}”`;
  const off = ablated.length > 0;
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
  el("p", "gx-title", box, "Switch heads off");
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
      b.addEventListener("click", () => toggle(view, block * H + head));
      view.switches.push(b);
    }
  }
  grid.addEventListener("keydown", e => roam(view, e));
  view.onAgain = button(box, "All heads on", () => setAblated(view, []));
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

export function toggle(view, i) {
  const { ablated } = view;
  setAblated(
    view,
    ablated.includes(i) ? ablated.filter(j => j !== i) : [...ablated, i].sort((a, b) => a - b),
  );
}

function setAblated(view, ablated) {
  view.ablated = ablated;
  view.ask({ ablated });
  showSwitches(view);
}

export function showSwitches(view) {
  const { switches, ablated, block, head, H, zoom, words: next, T } = view;
  const near = i => (zoom === "block" ? Math.floor(i / H) === block : i === block * H + head);
  const stop = Math.max(0, switches.indexOf(document.activeElement));
  switches.forEach((b, i) => {
    b.setAttribute("aria-pressed", ablated.includes(i));
    b.classList.toggle("gx-map-near", zoom !== "model" && near(i));
    b.tabIndex = i === stop ? 0 : -1;
  });
  view.onAgain.hidden = !ablated.length;
  const [now, whole] = [next[T - 1][0], view.whole.at(-1)[T - 1]];
  view.effect.textContent = !ablated.length
    ? "All are on. Switch one off and see how the text goes on."
    : `Without ${plural(ablated.length, "head")} the text goes on with “${named(now[0])}” ` +
      `${percent(now[2])}; with all heads it is “${named(whole[0])}” ${percent(whole[1])}. ` +
      "A filled corner marks a guess that changed.";
}
