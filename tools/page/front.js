// The front page: type, see what may come next, look at the heads, let it write.

const BEGINNING = "She closed her";
const SHOWN = 10; // next tokens
const MOST = 40; // tokens whose attention is drawn
const WRITTEN = 60; // tokens

function front(root, engine) {
  const view = { root, engine, temperature: 1, head: 6, asked: 0, dark: false };
  addInput(view);
  view.chips = el("p", "page-chips", root);
  const about =
    "Shade: how much the last token looks at each, in the head that is framed below.";
  el("p", "gx-note", root, about);
  view.status = el("p", "gx-note", root, "The model is being loaded ...");
  view.said = live(root);
  const cols = el("div", "gx-cols", root);
  const left = el("div", "gx-aside", cols);
  addNext(view, left);
  addWriting(view, left);
  addHeads(view, el("div", "", cols));
  ask(view);
}

function addInput(view) {
  const row = el("div", "page-ask", view.root);
  const label = el("label", "gx-title", row, "Begin a sentence");
  view.input = textInput(row, label, BEGINNING, () => {});
  view.input.classList.add("page-input");
  view.input.maxLength = 10_000;
  view.input.addEventListener("input", () => ask(view));
}

// Asks for the newest text; where it has changed meanwhile, the answer is not shown.
async function ask(view) {
  const text = view.input.value;
  const number = ++view.asked;
  try {
    const [logits, note, attention] = await Promise.all([
      view.engine.ask("next", text),
      view.engine.ask("remark", text, 256),
      view.engine.ask("attention", text, MOST).catch(() => null), // too long to draw
    ]);
    if (number !== view.asked) return;
    view.pieces ??= await view.engine.ask("pieces");
    Object.assign(view, { text, logits, attention });
    view.status.textContent = note;
    showNext(view);
    showHeads(view);
  } catch (error) {
    view.status.textContent = `This cannot be computed: ${error.message}.`;
  }
}

// ---- what may come next

function addNext(view, box) {
  el("p", "gx-title", box, "What may come next");
  const options = { min: 0.1, max: 2, step: 0.1, value: 1, text: v => v.toFixed(1) };
  slider(box, "temperature", options, value => {
    view.temperature = value;
    if (view.logits) showNext(view);
  });
  view.bars = el("ol", "gx-bars", box);
}

function showNext({ logits, temperature, pieces, bars: list, said, text }) {
  const max = logits.reduce((a, b) => Math.max(a, b));
  const powers = Array.from(logits, logit => Math.exp((logit - max) / temperature));
  const total = sum(powers);
  const order = [...powers.keys()].sort((a, b) => powers[b] - powers[a]).slice(0, SHOWN);
  bars(
    list,
    order.map(id => [named(pieces[id]), powers[id] / total, percent(powers[id] / total)]),
  );
  said.textContent =
    `After “${text}” the likeliest of ${commas(pieces.length)} tokens is ` +
    `“${named(pieces[order[0]])}”, with ${percent(powers[order[0]] / total)}.`;
}

// ---- the heads

function addHeads(view, box) {
  el("p", "gx-title", box, "Where its 16 heads look");
  const grid = el("div", "page-heads", box);
  grid.setAttribute("role", "radiogroup");
  grid.setAttribute("aria-label", "head");
  view.tiles = Array.from({ length: 16 }, (_, head) => {
    const tile = radio(grid, "", () => pick(view, head));
    tile.className = "gx-tile";
    tile.setAttribute("aria-label", `layer ${Math.floor(head / 4)}, head ${head % 4}`);
    el("canvas", "", tile);
    return tile;
  });
  grid.addEventListener("keydown", e => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 4, ArrowUp: -4 }[e.key];
    if (!step) return;
    e.preventDefault();
    pick(view, (view.head + step + 16) % 16);
    view.tiles[view.head].focus();
  });
  el("p", "gx-note", box, "A row per token: the darker, the more it looks at that column.");
}

function pick(view, head) {
  view.head = head;
  showHeads(view);
}

function showHeads(view) {
  check(view.tiles, view.head);
  const { attention, chips, head } = view;
  chips.replaceChildren();
  if (!attention) return;
  const T = attention.pieces.length;
  view.tiles.forEach((tile, i) => {
    paintMap(tile.firstChild, attention.weights.subarray(i * T * T, (i + 1) * T * T), T);
  });
  const last = attention.weights.subarray((head * T + T - 1) * T, (head + 1) * T * T);
  attention.pieces.forEach((piece, i) => {
    const chip = el("span", "", chips, readable(piece));
    shade(chip, last[i], false);
    chip.title = `layer ${Math.floor(head / 4)}, head ${head % 4}: ${percent(last[i])}`;
  });
}

function paintMap(canvas, weights, T) {
  canvas.width = canvas.height = T;
  const image = new ImageData(T, T);
  weights.forEach((weight, i) => {
    const color = i % T > Math.floor(i / T) ? [238, 238, 238] : rgb(weight, false);
    image.data.set([...color, 255], 4 * i);
  });
  canvas.getContext("2d").putImageData(image, 0, 0);
}

// ---- writing

function addWriting(view, parent) {
  const box = el("div", "page-writing", parent);
  view.button = button(box, "Let it write on", () => (view.stop ? view.stop() : write(view)));
  view.written = el("p", "", box);
  view.seed = 0;
}

async function write(view) {
  const options = { n: WRITTEN, temperature: view.temperature, seed: ++view.seed };
  const heard = ({ text }) => {
    view.written.textContent = text;
  };
  const { answer, stop } = view.engine.write(view.input.value, options, heard);
  view.stop = stop;
  view.button.textContent = "Stop";
  await answer.catch(error => {
    view.status.textContent = `This cannot be written: ${error.message}.`;
  });
  view.stop = null;
  view.button.textContent = "Let it write on";
}

front(document.querySelector("#front"), globalThis.gpt1);
