// The training's side of the page, in a worker: the page never stands still.
// In: { name, ... }; out: { about }, { frame }, { ended }, { paused }, { trouble },
// { refused }, { kept }, { written }.

import { Observer } from "./observer.js";

const PATIENCE = 50; // milliseconds between two pictures: 20 a second

let observer = null;
let isRunning = false;
let losses = []; // since the last picture: [step, loss, smoothed]

// A pause that lets messages come in; setTimeout would take four milliseconds.
const { port1, port2 } = new MessageChannel();
const breathe = () =>
  new Promise(resolve => {
    port1.onmessage = resolve;
    port2.postMessage(null);
  });

function begin({ text, settings, wasm }) {
  isRunning = false;
  losses = [];
  observer = null;
  try {
    observer = new Observer(text, settings, wasm);
  } catch (error) {
    return self.postMessage({ refused: error.message });
  }
  self.postMessage({ about: observer.about() });
  show(observer.stage());
}

// A model that was kept, to look at and to write with.
function load({ saved: { text, settings, step, weights }, wasm }) {
  begin({ text, settings, wasm });
  if (!observer) return;
  try {
    observer.restore(step, weights);
    show(observer.stage());
  } catch (error) {
    self.postMessage({ refused: error.message });
  }
}

function show(look) {
  const seconds = observer.seconds ?? 0;
  self.postMessage({ frame: { ...look, losses, seconds } });
  losses = [];
}

async function go() {
  if (isRunning || !observer) return;
  isRunning = true;
  const here = observer;
  let [drawn, before] = [0, performance.now()];
  while (isRunning && observer === here && !here.run.isOver) {
    const { loss, smooth } = here.update();
    losses.push([here.run.step, loss, smooth]);
    const now = performance.now();
    here.seconds = (here.seconds ?? 0) + (now - before) / 1000;
    before = now;
    tellTrouble(here);
    if (here.isStage) show(here.stage());
    else if (now - drawn > PATIENCE) show(here.look());
    if (now - drawn > PATIENCE) {
      drawn = now;
      await breathe();
    }
  }
  if (observer === here) finish(here);
}

// Once, until the rate is changed: that it has diverged, or learns nothing more.
function tellTrouble(here) {
  const { hasDiverged, isStuck, best, smoothed } = here;
  if (here.wasTold || !(hasDiverged || isStuck)) return;
  here.wasTold = true;
  const { step, settings } = here.run;
  self.postMessage({
    trouble: { hasDiverged, step, peak: settings.rate, best, loss: smoothed },
  });
}

function finish(here) {
  isRunning = false;
  if (here.run.step) show(here.stage());
  self.postMessage(here.run.isOver ? { ended: true } : { paused: true });
}

const ANSWERS = {
  begin,
  load,
  go,
  keep: () => {
    if (observer) self.postMessage({ kept: observer.kept() });
  },
  pause: () => {
    isRunning = false;
  },
  rate: ({ rate }) => {
    if (!observer) return;
    observer.run.settings.rate = rate;
    observer.wasTold = false;
  },
  write: ({ prompt, seed }) => {
    if (observer) self.postMessage({ written: observer.write(prompt, 200, { seed }) });
  },
};

self.onmessage = ({ data }) => ANSWERS[data.name](data);
