// BPE merge by merge: every word's symbols, the merge that comes next, the ids at the end.

const PIECE_HUES = [BLUE, ORANGE, RED, PURPLE, VIOLET, GRAY];
const NOTE =
  "▁ marks the end of a word. Of all pairs that stand side by side, " +
  "the one that was learned first is merged first.";

function draw(model, root) {
  const view = { model, root };
  const label = el("label", "gx-name", root, "text");
  const input = textInput(root, label, model.get("text"), text => {
    save(model, { text, step: -1 });
  });
  const text = i => `${i} of ${model.get("merges").length}`;
  const options = { min: 0, max: 1, step: 1, value: 0, text };
  view.drag = slider(root, "merges applied", options, step => {
    save(model, { step });
    show(view);
  });
  view.said = live(root);
  view.box = el("div", "gx-words", root);
  el("p", "gx-note", root, NOTE);
  for (const name of ["words", "merges", "ids", "message", "step"]) {
    model.on(`change:${name}`, () => show(view));
  }
  model.on("change:text", () => {
    input.value = model.get("text");
  });
  show(view);
}

// ---- the merges

// The characters of a word; the last one carries its end.
function characters(word) {
  const symbols = [...word];
  symbols[symbols.length - 1] += "</w>";
  return symbols;
}

// Every left that a right follows becomes one symbol with it.
function merge(symbols, left, right) {
  const merged = [];
  for (let i = 0; i < symbols.length; i++) {
    if (symbols[i] === left && symbols[i + 1] === right) {
      merged.push(left + right);
      i++;
    } else merged.push(symbols[i]);
  }
  return merged;
}

function wordsAfter(words, merges) {
  let pieces = words.map(characters);
  for (const [left, right] of merges) pieces = pieces.map(word => merge(word, left, right));
  return pieces;
}

// ---- the pieces

function show(view) {
  const { model, drag, box } = view;
  const merges = model.get("merges");
  const step = model.get("step");
  const n = step < 0 ? merges.length : Math.min(step, merges.length);
  drag.input.max = merges.length;
  drag.set(n);
  const words = wordsAfter(model.get("words"), merges.slice(0, n));
  const next = merges[n];
  box.replaceChildren();
  words.forEach((symbols, w) => {
    addWord(box, symbols, next, next ? null : model.get("ids")[w]);
  });
  view.said.textContent = sentence(model, sum(words.map(word => word.length)), n, next);
  view.root.dataset.pieces = JSON.stringify(words);
}

function addWord(box, symbols, next, ids) {
  const word = el("div", "gx-word-box", box);
  symbols.forEach((symbol, i) => {
    const chip = el("span", "gx-piece", word);
    const ends = symbol.endsWith("</w>");
    chip.style.borderColor = PIECE_HUES[i % PIECE_HUES.length];
    el("span", "", chip, ends ? symbol.slice(0, -4) : symbol);
    if (ends) el("i", "gx-end", chip, "▁").title = "</w>: the end of a word";
    if (ids) el("small", "", chip, ids[i] ?? "");
    if (next && isMerged(symbols, i, next)) chip.classList.add("gx-next");
  });
}

function isMerged(symbols, i, [left, right]) {
  const isLeft = symbols[i] === left && symbols[i + 1] === right;
  return isLeft || (symbols[i] === right && symbols[i - 1] === left);
}

function sentence(model, nPieces, nMerges, next) {
  const message = model.get("message");
  const begin = message ? `${message} ` : "";
  const after = `after ${nMerges} merges`;
  if (!next) return `${begin}${nPieces} tokens ${after}; the number below each is its id.`;
  const [left, right, rank] = next;
  return (
    `${begin}${nPieces} pieces ${after}. ` +
    `Next: ${readable(left)} + ${readable(right)}, ` +
    `merge ${commas(rank + 1)} of ${commas(model.get("n_merges"))}.`
  );
}

export default start(draw);
