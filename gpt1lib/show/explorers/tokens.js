// BPE merge by merge: every word's symbols, the merge that comes next, the ids at the end.
const SHADES = ["#5790fc", "#f89c20", "#e42536", "#964a8b", "#7a21dd", "#7a7a80"];

function join(symbols, left, right) {
  const out = [];
  for (let i = 0; i < symbols.length; i++) {
    if (symbols[i] === left && symbols[i + 1] === right) { out.push(left + right); i++; } else out.push(symbols[i]);
  }
  return out;
}
const start0 = word => { const c = [...word]; c[c.length - 1] += "</w>"; return c; };

function draw(model, root) {
  const label = el("label", "gx-name", root, "text");
  const input = el("input", "gx-prompt", root);
  input.id = label.htmlFor = `gx-${++serial}`;
  input.value = model.get("text"); input.spellcheck = false;
  input.addEventListener("change", () => { model.set("text", input.value); model.set("step", -1); model.save_changes(); });
  const drag = slider(root, "merges applied", { min: 0, max: 1, step: 1, value: 0,
    text: i => `${i} of ${model.get("merges").length}` }, i => { model.set("step", i); model.save_changes(); show(); });
  const said = live(root), box = el("div", "gx-words", root), note = el("p", "gx-note", root);
  function show() {
    const merges = model.get("merges"), at = model.get("step") < 0 ? merges.length : Math.min(model.get("step"), merges.length);
    drag.input.max = merges.length; drag.set(at);
    let words = model.get("words").map(start0);
    for (const [a, b] of merges.slice(0, at)) words = words.map(s => join(s, a, b));
    const next = merges[at], ids = model.get("ids");
    box.replaceChildren();
    words.forEach((symbols, w) => {
      const word = el("div", "gx-word-box", box);
      symbols.forEach((s, i) => {
        const chip = el("span", "gx-piece", word);
        chip.style.borderColor = SHADES[i % SHADES.length];
        el("span", "", chip, s.endsWith("</w>") ? s.slice(0, -4) : s);
        if (s.endsWith("</w>")) el("i", "gx-end", chip, "▁").title = "</w>: the end of a word";
        if (at === merges.length && ids[w]) el("small", "", chip, ids[w][i] ?? "");
        if (next && ((symbols[i] === next[0] && symbols[i + 1] === next[1]) || (symbols[i] === next[1] && symbols[i - 1] === next[0]))) chip.classList.add("gx-next");
      });
    });
    const n = words.reduce((sum, s) => sum + s.length, 0);
    said.textContent = (model.get("message") ? model.get("message") + " " : "") + (next
      ? `${n} pieces after ${at} merges. Next: ${readable(next[0])} + ${readable(next[1])}, merge ${(next[2] + 1).toLocaleString("en")} of ${model.get("n_merges").toLocaleString("en")}.`
      : `${n} tokens after ${at} merges; the number below each is its id.`);
    root.dataset.pieces = JSON.stringify(words);
    note.textContent = "▁ marks the end of a word. Of all pairs that stand side by side, the one that was learned first is merged first.";
  }
  for (const name of ["words", "merges", "ids", "message", "step"]) model.on("change:" + name, show);
  model.on("change:text", () => { input.value = model.get("text"); });
  show();
}
