// BPE merge by merge: every word's pieces, the merge that comes next, the ids at the end.

import { characters, merge } from "../engine/pieces.js";
import { hueOfPiece } from "./common.colors.js";
import { slider, textLine } from "./common.controls.js";
import { addHeadline, el, liveRegion, setTip } from "./common.elements.js";
import { followText, request } from "./common.questions.js";
import { save } from "./common.traits.js";
import { commas, named, plural, sum } from "./common.words.js";
import { start } from "./start.js";

const HINT = "Type a text and press Enter.";
const NOTE =
  "A double line marks the end of a word; the same piece has the same color. Of all " +
  "neighboring pairs, the one that was learned first is merged first.";

function draw(model, root) {
  const view = { model, root };
  view.finding = addHeadline(root, "", () => {
    const { n, all } = view.at;
    save(model, { step: n ? n - 1 : all });
    show(view);
  });
  const input = textLine(root, "text", model.get("text"), "4em", text =>
    ask({ text, step: -1 }),
  );
  const ask = request(model, el("p", "gx-note gx-hint", root), "The text is read ...", HINT);
  const text = i => `${i} of ${model.get("merges").length}`;
  const options = { min: 0, max: 1, step: 1, value: 0, text };
  view.drag = slider(root, "merges applied", options, step => {
    save(model, { step });
    show(view);
  });
  view.said = liveRegion(root);
  view.box = el("div", "gx-words", root);
  el("p", "gx-note", root, NOTE);
  for (const name of ["words", "merges", "ids", "step"]) {
    model.on(`change:${name}`, () => show(view));
  }
  followText(model, input);
  show(view);
}

// ---- the merges

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
  const unk = model.get("unk");
  const made = n ? merges[n - 1][0] + merges[n - 1][1] : "";
  box.replaceChildren();
  words.forEach((symbols, w) => {
    const ids = next ? null : model.get("ids")[w].map(id => (id === unk ? "<unk>" : id));
    addWord(box, symbols, { next, made, ids });
  });
  view.at = { n, all: merges.length };
  view.finding.textContent = findingOf(words, n, merges.length);
  setTip(view.finding, n ? "undo the last merge" : "make all the merges");
  view.said.textContent = sentence(model, sum(words.map(word => word.length)), n, next);
}

function addWord(box, symbols, { next, made, ids }) {
  const word = el("div", "gx-word-box", box);
  symbols.forEach((symbol, i) => {
    const chip = el("span", "gx-piece", word);
    const ends = symbol.endsWith("</w>");
    chip.style.borderBottomColor = hueOfPiece(symbol);
    if (ends) chip.classList.add("gx-ends");
    el("span", "", chip, ends ? symbol.slice(0, -4) : symbol);
    el("small", "", chip, ids ? ids[i] : "");
    if (symbol === made) chip.classList.add("gx-made");
    if (next && isMerged(symbols, i, next)) chip.classList.add("gx-next");
  });
}

function isMerged(symbols, i, [left, right]) {
  const isLeft = symbols[i] === left && symbols[i + 1] === right;
  return isLeft || (symbols[i] === right && symbols[i - 1] === left);
}

function findingOf(words, n, all) {
  const made = plural(sum(words.map(word => word.length)), n < all ? "piece" : "token");
  if (n < all) return `${n} of ${plural(all, "merge")} made: ${made} are left.`;
  return `${plural(words.length, "word")} in ${made}, after ${plural(all, "merge")}.`;
}

function sentence(model, nPieces, nMerges, next) {
  if (!nPieces) return "";
  const after = `after ${plural(nMerges, "merge")}`;
  if (!next) return `${plural(nPieces, "token")} ${after}; the number below each is its id.`;
  const [left, right, rank] = next;
  return (
    `${plural(nPieces, "piece")} ${after}. Next: ${named(left)} + ${named(right)}, ` +
    `merge ${commas(rank + 1)} of ${commas(model.get("n_merges"))}.`
  );
}

export default start(draw, "tokens");
