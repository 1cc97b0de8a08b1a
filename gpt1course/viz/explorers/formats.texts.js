// The texts of a task: typed, or exchanged by dragging one onto another, or by keys.

import { oneLine, textLine } from "./common.controls.js";
import { button, el } from "./common.elements.js";
import { request } from "./common.questions.js";
import { isStill, play, slideField } from "./formats.motion.js";

const HINT = "Type a text and press Enter.";
const KEYS = " Drag ⠿ onto another text to exchange them, or press ↑ or ↓ on it.";

export function addTexts(view) {
  const { model, root } = view;
  const line = el("div", "gx-fmt-asks", root);
  view.asks = el("span", "gx-title", line);
  if (!isStill()) button(line, "▶ Play", () => play(view));
  const box = el("div", "", root);
  view.hint = el("p", "gx-note gx-hint", root);
  view.request = request(model, view.hint, "The model reads ...", HINT);
  for (const name of ["answers", "message"]) model.on(`change:${name}`, () => hint(view));
  view.forms = {};
  for (const kind of Object.keys(model.get("fields"))) addForm(view, box, kind);
}

// All of them are there from the beginning: what cannot be answered is turned off once.
function addForm(view, box, kind) {
  const { model, forms } = view;
  const form = el("div", "", box);
  const names = model.get("fields")[kind];
  const fields = names.map((name, i) => {
    const input = textLine(form, name, model.get("texts")[kind][i], "6.5em", typed => {
      view.swap = null;
      view.request({ texts: changed(model, kind, { [i]: typed }) });
    });
    return { row: input.parentElement, input };
  });
  fields.forEach(({ row }, i) => {
    row.classList.add("gx-fmt-field");
    if (names.length > 1) addGrip(view, fields, names[i], i);
  });
  forms[kind] = { form, fields };
}

// The texts of all kinds, some of this one changed: { place: text }.
function changed(model, kind, some) {
  const texts = model.get("texts");
  return { ...texts, [kind]: Object.assign([...texts[kind]], some) };
}

// Where texts can be exchanged, the hint says how.
function hint({ model, kind, hint: line }) {
  if (model.get("message") || !line.textContent.startsWith(HINT)) return;
  line.textContent = model.get("fields")[kind].length > 1 ? HINT + KEYS : HINT;
}

export function drawTexts(view) {
  const { model, forms, kind } = view;
  for (const [name, { form }] of Object.entries(forms)) form.hidden = name !== kind;
  const { fields } = forms[kind];
  model.get("texts")[kind].forEach((text, i) => {
    fields[i].input.value = oneLine(text);
  });
  const { task } = model.get("layers")[kind];
  view.asks.textContent = task ? model.get("asks_of")[kind] : "";
  hint(view);
}

export const canExchange = ({ forms, kind }) =>
  forms[kind].form.querySelector(".gx-grip:enabled") !== null;

// ---- exchange

function addGrip(view, fields, name, i) {
  const grip = el("button", "gx-grip gx-asks", fields[i].row, "⠿");
  grip.type = "button";
  grip.title = "exchange with another text: drag it there, or press an arrow key";
  grip.setAttribute("aria-label", `exchange ${name} with another text, by arrow keys`);
  const move = by => {
    const to = (i + by + fields.length) % fields.length;
    exchange(view, i, to);
    fields[to].row.querySelector(".gx-grip").focus();
  };
  grip.addEventListener("keydown", e => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!by) return;
    e.preventDefault();
    move(by);
  });
  grip.addEventListener("click", e => e.detail === 0 && move(1)); // Enter, or a screen reader
  grip.addEventListener("pointerdown", e => drag(view, fields, i, e));
}

// The line follows the pointer; where it is let go, the two texts change places.
function drag(view, fields, i, down) {
  const { row } = fields[i];
  const grip = down.currentTarget;
  const boxes = fields.map(field => field.row.getBoundingClientRect());
  let target = i;
  const mark = at =>
    fields.forEach((f, k) => void f.row.classList.toggle("gx-target", k === at));
  const move = e => {
    row.style.transform = `translateY(${e.clientY - down.clientY}px)`;
    target = nearest(boxes, e.clientY);
    mark(target === i ? -1 : target);
  };
  const end = e => {
    grip.removeEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"]) grip.removeEventListener(name, end);
    row.classList.remove("gx-dragged");
    row.style.transform = "";
    mark(-1);
    if (e.type === "pointerup" && target !== i) exchange(view, i, target);
  };
  grip.setPointerCapture(down.pointerId);
  row.classList.add("gx-dragged");
  grip.addEventListener("pointermove", move);
  for (const name of ["pointerup", "pointercancel"]) grip.addEventListener(name, end);
}

// The place of the box whose middle is nearest to this height.
function nearest(boxes, y) {
  const far = ({ top, bottom }) => Math.abs((top + bottom) / 2 - y);
  return boxes.reduce((best, box, i) => (far(box) < far(boxes[best]) ? i : best), 0);
}

// Texts i and j of the chosen kind change places, and the model reads them anew: true unless
// they are equal.
export function exchange(view, i, j) {
  const { model, kind } = view;
  const { fields } = view.forms[kind];
  const own = model.get("texts")[kind];
  const tops = [i, j].map(k => fields[k].row.offsetTop);
  const swap = { i, j, probs: model.get("formats")[kind].probs };
  view.exchanged = kind;
  const asks = view.request({ texts: changed(model, kind, { [i]: own[j], [j]: own[i] }) });
  if (asks) view.swap = swap;
  slideField(fields[i].row, tops[1] - tops[0]);
  slideField(fields[j].row, tops[0] - tops[1]);
  return asks;
}
