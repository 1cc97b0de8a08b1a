// The training's side of the page, in a worker: the page never stands still.
// In: { name, ... }; out: { about }, { frame }, { ended }, { paused }, { trouble },
// { refused }, { loaded }, { unread }, { kept }, { written }, each with the `round` it is of:
// what is still on its way when a new run begins is not of that run.

import { restored } from "./kept.js";
import { Observer } from "./observer.js";

const PATIENCE = 50; // milliseconds between two pictures: 20 a second

let observer = null;
let isRunning = false;
let round = 0;
let losses = []; // since the last picture: [step, loss, smoothed]

// A pause that lets messages come in; setTimeout would take four milliseconds.
const { port1, port2 } = new MessageChannel();
const breathe = () =>
  new Promise(resolve => {
    port1.onmessage = resolve;
    port2.postMessage(null);
  });

const tell = message => self.postMessage({ round, ...message });

function begin({ text, settings, wasm, round: next }) {
  isRunning = false;
  observer = null;
  round = next;
  try {
    open(new Observer(text, settings, wasm));
  } catch (error) {
    tell({ refused: error.message });
  }
}

function open(found) {
  losses = [];
  observer = found;
  tell({ about: observer.about() });
  show(observer.stage());
}

// A model that was kept, to look at and to write with; a file that is none changes nothing.
function load({ saved, wasm, round: next }) {
  let found;
  try {
    found = restored(saved, wasm);
  } catch (error) {
    return tell({ unread: error.message });
  }
  isRunning = false;
  round = next;
  const { text, settings, step } = saved;
  tell({ loaded: { text, settings, step } });
  open(found);
}

function show(look) {
  const seconds = observer.seconds ?? 0;
  tell({ frame: { ...look, losses, seconds } });
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
  tell({
    trouble: { hasDiverged, step, peak: settings.rate, best, loss: smoothed },
  });
}

function finish(here) {
  isRunning = false;
  if (here.run.step) show(here.stage());
  tell(here.run.isOver ? { ended: true } : { paused: true });
}

const ANSWERS = {
  begin,
  load,
  go,
  keep: () => {
    if (observer) tell({ kept: observer.kept() });
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
    if (observer) tell({ written: observer.write(prompt, 200, { seed }) });
  },
};

self.onmessage = ({ data }) => ANSWERS[data.name](data);
