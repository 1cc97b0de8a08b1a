// A token's row of the tied matrix, its nearest rows, and how it fares as the next token.
function draw(model, root) {
  const tokens = model.get("tokens"), C = model.get("n_embd"), rows = halves(model, "data");
  const dark = root.classList.contains("gx-dark"), names = tokens.map(readable);
  let chosen = model.get("chosen");
  const pick = el("div", "gx-choice", root);
  pick.setAttribute("role", "radiogroup"); pick.setAttribute("aria-label", "token");
  el("span", "gx-name", pick, "token");
  const buttons = names.map((n, i) => {
    const b = el("button", "", pick, n);
    b.type = "button"; b.setAttribute("role", "radio");
    b.addEventListener("click", () => choose(i));
    return b;
  });
  pick.addEventListener("keydown", e => {
    const d = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (!d) return;
    e.preventDefault(); choose((chosen + d + names.length) % names.length); buttons[chosen].focus();
  });
  el("p", "gx-title", root, `Its row: ${C} numbers, read as an embedding and used as output weights`);
  const strip = el("canvas", "gx-strip", root);
  strip.setAttribute("role", "img");
  const cols = el("div", "gx-cols", root), left = el("div", "", cols), right = el("div", "", cols);
  el("p", "gx-title", left, "Nearest rows (cosine)");
  const near = el("ol", "gx-bars", left); near.style.width = "330px";
  el("p", "gx-title", right, "Its rank as the next token, after each token of the text");
  const wins = el("ol", "gx-bars", right); wins.style.width = "380px";
  choice(root, "output matrix", { tied: "the same matrix (GPT-1)", own: "a matrix of its own" },
    model.get("tied") ? "tied" : "own", v => { model.set("tied", v === "tied"); model.save_changes(); show(); });
  const said = live(root);
  function choose(i) { chosen = i; model.set("chosen", i); model.save_changes(); show(); }
  function bar(list, name, share, number) {
    const li = el("li", "", list);
    el("span", "gx-word", li, name);
    el("span", "gx-fill", el("span", "gx-track", li)).style.width = percent(Math.max(0, share));
    el("span", "gx-num", li, number);
  }
  function show() {
    buttons.forEach((b, i) => { b.setAttribute("aria-checked", i === chosen); b.tabIndex = i === chosen ? 0 : -1; });
    const row = rows.subarray(chosen * C, (chosen + 1) * C), top = row.reduce((m, v) => Math.max(m, Math.abs(v)), 1e-9);
    strip.width = C; strip.height = 1;
    const ctx = strip.getContext("2d");
    row.forEach((v, i) => { ctx.fillStyle = css(rgb(.5 + v / top / 2, dark)); ctx.fillRect(i, 0, 1, 1); });
    strip.setAttribute("aria-label", `${C} numbers between ${(-top).toFixed(2)} and ${top.toFixed(2)}`);
    near.replaceChildren(); wins.replaceChildren();
    for (const [piece, cosine] of model.get("neighbors")[chosen]) bar(near, readable(piece), cosine, cosine.toFixed(3));
    const places = model.get("places"), here = model.get("wins")[chosen];
    here.forEach(([logit, rank], i) => bar(wins, "… " + readable(places[i]), 1 / Math.sqrt(rank), `${rank.toLocaleString("en")}.`));
    const best = here.reduce((b, w, i) => w[1] < here[b][1] ? i : b, 0), tied = model.get("tied");
    root.dataset.count = model.get("counts")[tied ? 0 : 1];
    said.textContent = `“${names[chosen]}” fits best after “${readable(places[best])}”, where it is number ${here[best][1].toLocaleString("en")} with a score of ${here[best][0].toFixed(2)}. ` +
      `With ${tied ? "one matrix for both jobs" : "an output matrix of its own"} the model has ${(+root.dataset.count).toLocaleString("en")} parameters.`;
  }
  model.on("change:chosen", () => { if (model.get("chosen") !== chosen) { chosen = model.get("chosen"); show(); } });
  show();
}
