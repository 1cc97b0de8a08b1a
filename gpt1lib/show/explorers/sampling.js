// A real next-token distribution under temperature, top-k and top-p; draw, or pick a word.

const OFF = { temperature: 1, top_k: 0, top_p: 1 };

function draw(model, root) {
  const words = model.get("words");
  const view = { model, root, words, logits: floats(model, "data") };
  view.shown = Math.min(16, words.length); // the rest is one more row
  view.random = mulberry(1);
  view.tally = new Map();
  addPrompt(view);
  addSliders(view, el("div", "", root));
  addButtons(view, el("div", "gx-choice", root));
  view.said = live(root);
  addRows(view, el("ol", "gx-bars", root));
  const note = "Filled: the probability to be drawn. Outline: before top-k and top-p.";
  el("p", "gx-note", root, note);
  followPython(view);
  show(view);
}

function followPython(view) {
  const { model, prompt } = view;
  const tell = () => {
    view.status.textContent = model.get("message") || view.hint;
  };
  model.on("change:data", () => {
    view.logits = floats(model, "data");
    forget(view);
    tell();
    show(view);
  });
  model.on("change:message", tell);
  model.on("change:prompt", () => {
    if (prompt && prompt.value !== model.get("prompt")) prompt.value = model.get("prompt");
  });
  for (const name of Object.keys(view.sliders)) {
    model.on(`change:${name}`, () => {
      view.sliders[name].set(model.get(name));
      show(view);
    });
  }
}

// ---- the prompt

function addPrompt(view) {
  const { model, root } = view;
  const text = model.get("prompt");
  view.hint = "";
  if (model.get("editable")) {
    view.hint = "Type a prompt and press Enter, or click a word below to append it.";
    view.prompt = el("input", "gx-prompt", el("div", "", root));
    view.prompt.value = text;
    view.prompt.setAttribute("aria-label", "prompt");
    view.prompt.addEventListener("change", () => send(view, view.prompt.value));
  } else if (text) el("p", "gx-title", root, `After “${text}”`);
  view.status = el("p", "gx-note", root, view.hint);
}

function send(view, prompt) {
  view.status.textContent = "The model reads ...";
  save(view.model, { prompt });
}

function append(view, id) {
  const { model, prompt } = view;
  const piece = view.words[id];
  const glue = prompt.value === "" || model.get("joined") ? "" : " ";
  model.set("joined", !piece.endsWith("</w>"));
  prompt.value += glue + (piece === "\n</w>" ? "\n" : piece.replace("</w>", ""));
  send(view, prompt.value);
}

// ---- the distribution

function softmax(logits, temperature) {
  let best = 0;
  for (let i = 1; i < logits.length; i++) if (logits[i] > logits[best]) best = i;
  const before = new Float64Array(logits.length);
  let total = 0;
  for (let i = 0; i < logits.length; i++) {
    before[i] = Math.exp((logits[i] - logits[best]) / temperature);
    total += before[i];
  }
  for (let i = 0; i < logits.length; i++) before[i] /= total;
  return { before, best };
}

// The twin of decode.next_token_probs; also all before top-k and top-p, and their order.
function distribution(logits, temperature, topK, topP) {
  const { before, best } = softmax(logits, temperature || 1);
  const after = new Float64Array(logits.length);
  const ids = Array.from(before.keys());
  const order = ids.sort((a, b) => before[b] - before[a] || a - b);
  if (temperature === 0) {
    after[best] = 1;
    return { before, after, order, kept: 1 };
  }
  const { kept, mass } = nucleus(before, order, topK, topP);
  for (let r = 0; r < kept; r++) after[order[r]] = before[order[r]] / mass;
  return { before, after, order, kept };
}

// How many tokens of the order are kept, and their mass: while the share of the mass
// before a token is below p.
function nucleus(before, order, topK, topP) {
  const k = topK ? Math.min(topK, order.length) : order.length;
  let all = 0;
  for (let r = 0; r < k; r++) all += before[order[r]];
  let kept = 0;
  let mass = 0;
  for (; kept < k && !(topP < 1 && mass / all >= topP); kept++) mass += before[order[kept]];
  return { kept, mass };
}

// ---- controls

function addSliders(view, parent) {
  const { model } = view;
  const add = (name, label, min, max, step, text) => {
    const options = { min, max, step, value: model.get(name), text };
    return slider(parent, label, options, v => {
      save(model, { [name]: v });
      show(view);
    });
  };
  const warm = v => (v === 0 ? "0 (greedy)" : v.toFixed(2));
  view.sliders = {
    temperature: add("temperature", "temperature", 0, 2.5, 0.05, warm),
    top_k: add("top_k", "top-k", 0, 100, 1, v => (v ? String(v) : "off")),
    top_p: add("top_p", "top-p", 0.05, 1, 0.01, v => (v < 1 ? v.toFixed(2) : "off")),
  };
}

function addButtons(view, parent) {
  button(parent, "Draw one", () => sample(view, 1));
  button(parent, "Draw 100", () => sample(view, 100));
  button(parent, "Reset", () => {
    for (const [name, value] of Object.entries(OFF)) {
      view.model.set(name, value);
      view.sliders[name].set(value);
    }
    view.model.save_changes();
    view.random = mulberry(1);
    forget(view);
    show(view);
  });
  view.drawn = el("div", "gx-chips", view.root);
  view.drawn.setAttribute("role", "group");
  view.drawn.setAttribute("aria-label", "tokens drawn");
}

// ---- drawing

// A small seeded generator, uniform in [0, 1).
function mulberry(seed) {
  let state = seed;
  return () => {
    state += 0x6d2b79f5;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function drawToken(random, { after, order, kept }) {
  let u = random();
  for (let r = 0; r < kept - 1; r++) {
    u -= after[order[r]];
    if (u < 0) return order[r];
  }
  return order[kept - 1];
}

function sample(view, n) {
  const { tally, drawn, words } = view;
  for (let i = 0; i < n; i++) {
    const id = drawToken(view.random, view.now);
    tally.set(id, (tally.get(id) || 0) + 1);
  }
  drawn.replaceChildren();
  const most = [...tally].sort((a, b) => b[1] - a[1]).slice(0, 20);
  for (const [id, times] of most) {
    el("span", "gx-chip", drawn, `${readable(words[id])} × ${times}`);
  }
}

function forget({ tally, drawn }) {
  tally.clear();
  drawn.replaceChildren();
}

// ---- the bars

function addRows(view, list) {
  view.rows = [];
  for (let i = 0; i <= view.shown; i++) {
    const clickable = view.prompt && i < view.shown;
    const li = el("li", "", list);
    const word = el(clickable ? "button" : "span", "gx-word", li);
    const track = el("span", "gx-track", li);
    const fill = el("span", "gx-fill", track);
    const edge = el("span", "gx-edge", track);
    const row = { li, word, fill, edge, num: el("span", "gx-num", li), id: 0 };
    if (clickable) {
      word.type = "button";
      word.addEventListener("click", () => append(view, row.id));
    }
    view.rows.push(row);
  }
}

function show(view) {
  const { model, root, words, shown } = view;
  const [temperature, topK, topP] = Object.keys(OFF).map(name => model.get(name));
  view.now = distribution(view.logits, temperature, topK, topP);
  const { before, after, order, kept } = view.now;
  const widest = Math.max(before[order[0]], after[order[0]]);
  const top = order.slice(0, shown);
  top.forEach((id, i) => {
    view.rows[i].id = id;
    showRow(view.rows[i], readable(words[id]), before[id], after[id], widest);
  });
  showRest(view, 1 - sum(top.map(id => before[id])), 1 - sum(top.map(id => after[id])), widest);
  const entropy = Math.abs(sum(order.slice(0, kept).map(id => bitsOf(after[id]))));
  view.said.textContent =
    `${commas(kept)} of ${commas(words.length)} tokens can be drawn; ` +
    `entropy ${entropy.toFixed(2)} bits. The likeliest is ` +
    `“${readable(words[order[0]])}” with ${percent(after[order[0]])}.`;
  root.dataset.after = JSON.stringify(order.slice(0, 5).map(id => [id, after[id]]));
  root.dataset.kept = kept;
}

function showRow({ li, word, fill, edge, num }, text, before, after, widest) {
  word.textContent = text;
  fill.style.width = percent(Math.min(1, after / widest));
  edge.style.width = percent(Math.min(1, before / widest));
  num.textContent = percent(after);
  li.className = after === 0 ? "gx-cut" : "";
}

// The last row: all tokens that have none.
function showRest({ rows, words, shown }, before, rest, widest) {
  const after = Math.max(0, rest);
  const { li } = rows[shown];
  showRow(rows[shown], `${commas(words.length - shown)} others`, before, after, widest);
  li.hidden = words.length === shown;
  li.className = `gx-rest ${after < 1e-9 ? "gx-cut" : ""}`;
}

export default start(draw);
