// Arrays and traits of the model, as anywidget calls Python's side.

import { halfOf } from "../engine/numbers.js";

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
