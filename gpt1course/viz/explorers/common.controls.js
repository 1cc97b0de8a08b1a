// Controls: sliders, radio buttons, lines of text.

import { el } from "./common.elements.js";

let serial = 0;

export function slider(parent, name, options, onInput) {
  const { min, max, step, value, text = String, help = "" } = options;
  const row = el("div", "gx-control", parent);
  const label = el("label", "", row, name);
  const input = el("input", "", row);
  const id = `gx-${++serial}`;
  label.htmlFor = id;
  Object.assign(input, { type: "range", id, min, max, step });
  const out = el("span", "gx-num", row); // an <output> would be spoken at every change
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

// One stop for Tab among many buttons; arrow keys lead from one to the next that is not
// disabled. Returns what moves the stop, and the focus, off a button that has been disabled.
export function rovingTabindex(box, buttons) {
  const all = [...buttons];
  const reach = at => {
    all.forEach((b, i) => {
      b.tabIndex = i === at ? 0 : -1;
    });
  };
  reach(0);
  box.addEventListener("keydown", e => {
    const d = ONWARD[e.key];
    let to = all.indexOf(document.activeElement);
    if (to < 0 || !d) return;
    do to += d;
    while (all[to]?.disabled);
    if (!all[to]) return;
    e.preventDefault();
    reach(to);
    all[to].focus();
  });
  return () => {
    const at = all.findIndex(b => b.tabIndex === 0);
    if (!all[at].disabled) return;
    const free = all.flatMap((b, i) => (b.disabled ? [] : [i]));
    const to = free.sort((i, j) => Math.abs(i - at) - Math.abs(j - at))[0] ?? 0;
    reach(to);
    if (all[at] === document.activeElement) all[to].focus();
  };
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

// A line of text that is sent when Enter is pressed; the width is that of its name.
export function textLine(parent, name, value, width, onChange) {
  const row = el("div", "gx-control", parent);
  row.style.gridTemplateColumns = `${width} minmax(80px, 560px)`;
  return textInput(row, el("label", "", row, name), value, onChange);
}

export function nameBy(label, input) {
  input.id = label.htmlFor = `gx-${++serial}`;
}

// A text of Python's as a field shows it, which drops line breaks and would join the words.
export const oneLine = text => text.replace(/\s*[\r\n]\s*/g, " ");

export function textInput(parent, label, value, onChange) {
  const input = el("input", "gx-prompt", parent);
  nameBy(label, input);
  input.value = oneLine(value);
  input.spellcheck = false;
  input.dir = "auto";
  input.addEventListener("change", () => onChange(input.value));
  return input;
}
