// A real next-token distribution under temperature, top-k and top-p; draw, or pick a word.
function distribution(z, T, K, P) {    // the twin of decode.next_token_probs
  const V = z.length, before = new Float64Array(V), after = new Float64Array(V);
  let best = 0;
  for (let i = 1; i < V; i++) if (z[i] > z[best]) best = i;
  let s = 0;
  for (let i = 0; i < V; i++) s += before[i] = Math.exp((z[i] - z[best]) / (T || 1));
  for (let i = 0; i < V; i++) before[i] /= s;
  const order = Array.from(before.keys()).sort((a, b) => before[b] - before[a] || a - b);
  if (T === 0) { after[best] = 1; return { before, after, order, kept: 1 }; }
  const k = K ? Math.min(K, V) : V;
  let mass = 0;
  for (let r = 0; r < k; r++) mass += before[order[r]];
  let kept = 0, sum = 0;
  for (; kept < k; kept++) {           // keep while the mass before a token is below p
    if (P < 1 && sum / mass >= P) break;
    sum += before[order[kept]];
  }
  for (let r = 0; r < kept; r++) after[order[r]] = before[order[r]] / sum;
  return { before, after, order, kept };
}
function mulberry(seed) {              // a small seeded generator, uniform in [0, 1)
  return () => {
    let t = seed += 0x6D2B79F5;
    t = Math.imul(t ^ t >>> 15, t | 1);
    t ^= t + Math.imul(t ^ t >>> 7, t | 61);
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  };
}
function draw(model, root) {
  const words = model.get("words"), SHOWN = Math.min(16, words.length), TOPK = 100;
  let z = floats(model, "data"), random = mulberry(1), tally = new Map();
  const prompt = model.get("editable") ? el("input", "gx-prompt", el("div", "", root)) : null;
  if (prompt) {
    prompt.value = model.get("prompt");
    prompt.setAttribute("aria-label", "prompt");
    prompt.addEventListener("change", () => send(prompt.value));
  } else if (model.get("prompt")) el("p", "gx-title", root, `After “${model.get("prompt")}”`);
  const hint = prompt ? "Type a prompt and press Enter, or click a word below to append it." : "";
  const status = el("p", "gx-note", root, hint);
  const controls = el("div", "", root), get = n => model.get(n);
  const set = n => v => { model.set(n, v); model.save_changes(); show(); };
  const sliders = {
    temperature: slider(controls, "temperature", { min: 0, max: 2.5, step: .05, value: get("temperature"),
      text: v => v === 0 ? "0 (greedy)" : v.toFixed(2) }, set("temperature")),
    top_k: slider(controls, "top-k", { min: 0, max: TOPK, step: 1, value: get("top_k"), text: v => v ? String(v) : "off" }, set("top_k")),
    top_p: slider(controls, "top-p", { min: .05, max: 1, step: .01, value: get("top_p"), text: v => v < 1 ? v.toFixed(2) : "off" }, set("top_p")),
  };
  const buttons = el("div", "gx-choice", root);
  const drawOne = button(buttons, "Draw one", () => sample(1)), drawMany = button(buttons, "Draw 100", () => sample(100));
  button(buttons, "Reset", () => {
    for (const [n, v] of [["temperature", 1], ["top_k", 0], ["top_p", 1]]) { model.set(n, v); sliders[n].set(v); }
    model.save_changes(); random = mulberry(1); tally.clear(); drawn.replaceChildren(); show();
  });
  const drawn = el("div", "gx-chips", root);
  drawn.setAttribute("role", "group");
  drawn.setAttribute("aria-label", "tokens drawn");
  const said = live(root), list = el("ol", "gx-bars", root), rows = [];
  for (let i = 0; i <= SHOWN; i++) {
    const li = el("li", "", list), word = el(prompt && i < SHOWN ? "button" : "span", "gx-word", li), track = el("span", "gx-track", li);
    if (prompt && i < SHOWN) { word.type = "button"; word.addEventListener("click", () => append(rows[i].id)); }
    rows.push({ li, word, fill: el("span", "gx-fill", track), edge: el("span", "gx-edge", track), num: el("span", "gx-num", li), id: 0 });
  }
  el("p", "gx-note", root, "Filled: the probability to be drawn. Outline: before top-k and top-p.");
  let now;
  function send(text) { status.textContent = "The model reads ..."; model.set("prompt", text); model.save_changes(); }
  function append(id) {
    const piece = words[id], text = prompt.value;
    const glue = text === "" || model.get("joined") ? "" : " ";
    model.set("joined", !piece.endsWith("</w>"));
    prompt.value = text + glue + (piece === "\n</w>" ? "\n" : piece.replace("</w>", ""));
    send(prompt.value);
  }
  function sample(n) {
    let last = 0;
    for (let j = 0; j < n; j++) {
      let u = random(), r = 0;
      for (; r < now.kept - 1; r++) { u -= now.after[now.order[r]]; if (u < 0) break; }
      last = now.order[r];
      tally.set(last, (tally.get(last) || 0) + 1);
    }
    drawn.replaceChildren();
    for (const [id, c] of [...tally].sort((a, b) => b[1] - a[1]).slice(0, 20)) el("span", "gx-chip", drawn, `${readable(words[id])} × ${c}`);
  }
  function show() {
    const T = get("temperature"), K = get("top_k"), P = get("top_p");
    now = distribution(z, T, K, P);
    const widest = Math.max(now.before[now.order[0]], now.after[now.order[0]]);
    let shownBefore = 0, shownAfter = 0, entropy = 0;
    rows.forEach((row, i) => {
      const rest = i === SHOWN, id = now.order[i];
      const b = rest ? 1 - shownBefore : now.before[id], a = rest ? Math.max(0, 1 - shownAfter) : now.after[id];
      if (!rest) { shownBefore += b; shownAfter += a; row.id = id; }
      row.word.textContent = rest ? `${(words.length - SHOWN).toLocaleString("en")} others` : readable(words[id]);
      row.fill.style.width = percent(Math.min(1, a / widest));
      row.edge.style.width = percent(Math.min(1, b / widest));
      row.num.textContent = percent(a);
      row.li.hidden = rest && words.length === SHOWN;
      row.li.className = (rest ? "gx-rest " : "") + (a === 0 || (rest && a < 1e-9) ? "gx-cut" : "");
    });
    for (let r = 0; r < now.kept; r++) { const p = now.after[now.order[r]]; if (p > 0) entropy -= p * Math.log2(p); }
    said.textContent = `${now.kept.toLocaleString("en")} of ${words.length.toLocaleString("en")} tokens can be drawn; entropy ${Math.abs(entropy).toFixed(2)} bits. ` +
      `The likeliest is “${readable(words[now.order[0]])}” with ${percent(now.after[now.order[0]])}.`;
    root.dataset.after = JSON.stringify(now.order.slice(0, 5).map(i => [i, now.after[i]]));
    root.dataset.kept = now.kept;
  }
  model.on("change:data", () => { z = floats(model, "data"); tally.clear(); drawn.replaceChildren(); status.textContent = model.get("message") || hint; show(); });
  model.on("change:message", () => { status.textContent = model.get("message") || hint; });
  model.on("change:prompt", () => { if (prompt && prompt.value !== model.get("prompt")) prompt.value = model.get("prompt"); });
  for (const n of ["temperature", "top_k", "top_p"]) model.on(`change:${n}`, () => { sliders[n].set(get(n)); show(); });
  show();
}
