// A GPT-1 that learns in the page: a text, a curve, what it writes, its heads and positions.

const SLOW = 1000; // milliseconds between pictures where the reader wants less motion

function draw(model, root, redraw) {
  const life = lifeOf(model, root);
  const dark = isDark(root);
  const view = { life, dark, palette: paletteOf(dark) };
  view.headline = addHeadline(root, "", () => tipOf(view).act());
  view.headline.classList.add("gx-learn-headline");
  addButtons(view, root);
  const columns = el("div", "gx-learn-learns", root);
  addText(view, columns);
  addCurve(view, columns);
  view.said = liveRegion(root);
  addWriting(view, root);
  const pictures = el("div", "gx-learn-pictures", root);
  addHeads(view, pictures);
  addPositions(view, pictures);
  addStages(view, root);
  addKeeping(view, root);
  addSizes(view, root);
  addTries(view, root);
  addFootnote(root);
  life.draw = painter(() => showAll(view));
  setTip(view.headline, tipOf(view).text);
  if (life.about || life.refused) showAll(view);
  else life.begin();
  model.on("change:text", () => life.begin({ text: model.get("text") }));
  return redraw;
}

// Draws once a frame at most, and once a second where the reader wants less motion.
function painter(paint) {
  let isDue = false;
  let last = Number.NEGATIVE_INFINITY;
  return isUrgent => {
    if (isUrgent) return paint();
    if (isDue) return;
    isDue = true;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const wait = still ? Math.max(0, last + SLOW - performance.now()) : 0;
    setTimeout(() => {
      requestAnimationFrame(() => {
        isDue = false;
        last = performance.now();
        paint();
      });
    }, wait);
  };
}

// ---- controls

function addButtons(view, root) {
  const { life } = view;
  const row = el("div", "gx-learn-actions", root);
  view.go = button(row, "Start", () =>
    life.isOver ? life.begin() : life.run(!life.isRunning),
  );
  view.go.classList.add("gx-learn-primary");
  button(row, "Begin again", () => life.begin());
  button(row, "Another seed", () => life.begin({ seed: life.settings.seed + 1 }));
  const help = "Adam’s rate at its peak; it rises over 50 updates and then falls as a cosine";
  const options = { min: 0, max: RATES.length - 1, step: 1, text: i => String(RATES[i]), help };
  const value = RATES.indexOf(life.settings.rate);
  view.rate = slider(row, "learning rate", { ...options, value }, i => life.setRate(RATES[i]));
}

function addText(view, parent) {
  const { life } = view;
  const box = el("div", "gx-learn-text", parent);
  const label = el("label", "gx-name", box, "It learns this text, or paste your own");
  view.text = el("textarea", "gx-learn-area", box);
  nameBy(label, view.text);
  Object.assign(view.text, { value: life.text, spellcheck: false, dir: "auto" });
  view.text.addEventListener("change", () => life.begin({ text: view.text.value }));
  view.about = el("p", "gx-note", box);
  const steps = Array.from({ length: 34 }, (_, i) => Math.round(10 ** (i / 10)));
  const options = { min: 0, max: 33, step: 1, text: i => commas(steps[i]) };
  const value = steps.indexOf(life.guess);
  const plant = i => plantFlag(view, steps[i]);
  view.flagSteps = steps;
  view.flag = slider(box, "first real word after", { ...options, value }, plant);
  el(
    "p",
    "gx-note",
    box,
    "Predict first: after how many updates does it write a word of four letters or more " +
      "from the text? Drag the flag.",
  );
}

function plantFlag(view, step) {
  if (view.life.step) return;
  view.life.guess = Math.min(step, view.life.about?.total ?? step);
  const nearest = view.flagSteps.findIndex(s => s >= view.life.guess);
  view.flag.set(nearest < 0 ? view.flagSteps.length - 1 : nearest);
  showCurve(view);
}

function addStages(view, root) {
  const { life } = view;
  const text = i => (life.stages[i] ? plural(life.stages[i].step, "update") : "0");
  const pick = i => {
    life.at = i >= life.stages.length - 1 ? -1 : i;
    showAll(view);
  };
  view.stages = slider(
    root,
    "back through its stages",
    { min: 0, max: 0, step: 1, value: 0, text },
    pick,
  );
  view.stages.row.classList.add("gx-learn-along");
}

function addSizes(view, root) {
  const { life } = view;
  const box = el("div", "gx-cols", root);
  view.sizes = {};
  const same = values => Object.fromEntries(values.map(v => [`v${v}`, String(v)]));
  for (const [name, key, values] of [
    ["blocks", "n_layer", [1, 2, 3, 4]],
    ["width", "n_embd", [16, 32, 48, 64, 96]],
  ]) {
    const pick = picked => life.begin({ [key]: +picked.slice(1) });
    view.sizes[key] = choice(box, name, same(values), `v${life.settings[key]}`, pick);
  }
}

function addFootnote(root) {
  const told =
    "Tokens are the characters of the text, the most frequent first. The model is GPT-1 in " +
    "small: LayerNorm after each sum, learned positions, GELU, and the token table as output " +
    "matrix; no dropout. It reads the text again and again, so in the end it knows it by " +
    "heart: a loss far below letter pairs says nothing about another text.";
  el("p", "gx-note", root, told);
}

// ---- all that is shown

function showAll(view) {
  const { life } = view;
  view.headline.textContent = headline(life);
  setTip(view.headline, tipOf(view).text);
  view.go.textContent = nameOfGo(life);
  view.go.disabled = Boolean(life.refused) || !life.about;
  const said = life.refused || life.told || life.about?.note || "";
  if (view.said.textContent !== said) view.said.textContent = said;
  view.flag.input.disabled = life.step > 0;
  if (document.activeElement !== view.text) view.text.value = life.text;
  view.about.textContent = life.about ? inNumbers(life.about) : "";
  showCurve(view);
  showWriting(view);
  showHeads(view);
  showPositions(view);
  showStages(view);
  showSettings(view);
  showTries(view);
  showWritten(view);
}

function nameOfGo(life) {
  if (life.isOver) return "Again";
  if (life.isRunning) return "Pause";
  return life.step ? "Go on" : "Start";
}

function headline({ about, step, smooth, crossed, refused }) {
  if (refused) return "This text cannot be learned.";
  if (!about) return "The text is read ...";
  if (!step) return "A GPT-1 of random numbers. Press Start, and it learns while you watch.";
  if (smooth === undefined) return `A model that had learned for ${plural(step, "update")}.`;
  const below = Object.keys(LEVELS)
    .filter(key => crossed[key])
    .at(-1);
  const where = below ? `, below ${LEVELS[below]}` : "";
  return `After ${plural(step, "update")}: ${smooth.toFixed(2)} nats per character${where}.`;
}

// What to try now: to let it learn, then a rate ten times as high, then another beginning.
function tipOf({ life, rate }) {
  const higher = RATES.indexOf(life.settings.rate) + 4; // 1, 2, 3, 5 in each power of ten
  if (life.isOver || life.refused || higher >= RATES.length) {
    const text = "begin again from another seed";
    return { text, act: () => life.begin({ seed: life.settings.seed + 1 }) };
  }
  if (!life.isRunning) {
    return { text: "let it learn, and watch the levels break", act: () => life.run(true) };
  }
  const act = () => {
    rate.set(higher);
    life.setRate(RATES[higher]);
  };
  return { text: "a learning rate ten times as high", act };
}

const inNumbers = ({ characters, parameters, n_ctx, kernel }) =>
  `${characters.length} different characters, ${commas(parameters)} parameters, a context of ` +
  `${n_ctx}.${kernel ? "" : " Without WebAssembly’s SIMD in this browser it is slow."}`;

// Sizes and rate may come from a file.
function showSettings({ life, sizes, rate }) {
  for (const [key, picker] of Object.entries(sizes)) {
    const name = String(life.settings[key]);
    if (picker.box.querySelector("[aria-checked=true]")?.textContent !== name)
      picker.set(`v${name}`);
  }
  const at = RATES.indexOf(life.settings.rate);
  if (+rate.input.value !== at) rate.set(at);
}

function showStages({ life, stages }) {
  const last = Math.max(0, life.stages.length - 1);
  stages.input.max = last;
  stages.input.disabled = !last;
  stages.set(life.at < 0 ? last : life.at);
}

export default start(draw);
