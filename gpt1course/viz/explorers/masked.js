// One sentence, two masks: cover a word; what GPT and BERT look at, and what they guess.

import { bars } from "./common.bars.js";
import { colorScale, shade } from "./common.colors.js";
import { choice } from "./common.controls.js";
import { addHeadline, el, liveRegion } from "./common.elements.js";
import { onChange, setShared } from "./common.traits.js";
import { commas, labels, percent, readable } from "./common.words.js";
import { start } from "./start.js";

const KINDS = { GPT: "GPT reads what is before", BERT: "BERT reads both sides" };
const FULL = 0.5; // the share of a look that has the darkest color
const ROWS =
  "Row: the covered word; column: where the model looks to guess it, averaged over its " +
  "blocks and heads. Hatched: out of sight. M: [MASK] itself.";

function draw(model, root) {
  const view = { model, root, texts: model.get("texts") };
  view.dark = root.classList.contains("gx-dark");
  view.text = model.get("text");
  const onward = () => cover(view, (view.place + 1) % view.names.length);
  view.finding = addHeadline(root, "cover the next word", onward);
  if (view.texts.length > 1) addTexts(view);
  view.line = el("div", "", root);
  const cols = el("div", "gx-cols gx-twins", root);
  view.panels = Object.entries(KINDS).map(([kind, title]) => addTwin(cols, kind, title));
  view.said = liveRegion(root);
  colorScale(root, view.dark, "0%", `${100 * FULL}% of its attention, or more`);
  el("p", "gx-note", root, ROWS);
  onChange(view, ["text"], () => showText(view));
  onChange(view, ["place"], () => show(view));
  showText(view);
}

// ---- what is chosen

function addTexts(view) {
  const options = Object.fromEntries(view.texts.map((_, i) => [`t${i}`, `${i + 1}`]));
  view.picker = choice(view.root, "sentence", options, `t${view.text}`, key => {
    setShared(view, { text: +key.slice(1) });
    showText(view);
  });
}

function cover(view, place) {
  setShared(view, { place });
  view.words.set(`w${place}`);
  show(view);
}

// The sentence as buttons, and both maps anew: another text has other words.
function showText(view) {
  view.read = view.texts[view.text];
  view.names = labels(view.read.tokens);
  view.place = Math.min(view.model.get("place"), view.names.length - 1);
  view.picker?.set(`t${view.text}`);
  view.line.replaceChildren();
  const words = view.read.tokens.map((token, i) => [`w${i}`, readable(token)]);
  const options = Object.fromEntries(words);
  const pick = key => cover(view, +key.slice(1));
  view.words = choice(view.line, "cover a word", options, `w${view.place}`, pick);
  view.words.box.classList.add("gx-sentence");
  for (const panel of view.panels) drawMap(view, panel);
  show(view);
}

// ---- one model: its map, its guesses

function addTwin(parent, kind, title) {
  const box = el("div", "gx-twin", parent);
  el("p", "gx-title", box, title);
  const scroll = el("div", "gx-scroll", box);
  const map = el("div", "gx-matrix gx-looks", scroll);
  map.setAttribute("role", "img");
  const guessed = el("p", "gx-guessed", box);
  return { kind, map, guessed, list: el("ol", "gx-bars", box) };
}

function drawMap(view, panel) {
  const { names, read, dark } = view;
  const { kind, map } = panel;
  map.replaceChildren();
  map.style.gridTemplateColumns = `auto repeat(${names.length}, 21px)`;
  el("span", "", map);
  for (const name of names) el("span", "gx-col", map, name);
  panel.rows = names.map((name, row) => {
    const cells = [el("span", "gx-row", map, name)];
    read[kind].looks[row].forEach((share, column) => {
      const cell = el("span", "gx-look", map);
      const hidden = kind === "GPT" && column >= row;
      if (hidden) cell.classList.add("gx-hatch");
      else shade(cell, share / FULL, dark);
      if (!hidden && row === column) cell.textContent = "M";
      cells.push(cell);
    });
    for (const cell of cells) cell.addEventListener("click", () => cover(view, row));
    return cells;
  });
}

function show(view) {
  const { names, read, place, panels } = view;
  view.words.set(`w${place}`);
  const found = panels.map(({ kind }) => read[kind].guesses[place]);
  const top = Math.max(...found.flatMap(guess => (guess ? [guess.p, ...guess.top[1]] : [])));
  panels.forEach((panel, i) => {
    panel.rows.forEach((cells, row) => {
      for (const cell of cells) cell.classList.toggle("gx-on", row === place);
    });
    showGuesses(view, panel, found[i], top);
    panel.map.setAttribute("aria-label", lookOf(view, panel.kind));
  });
  view.said.textContent = `“${names[place]}” is covered. ${found
    .map((guess, i) => said(panels[i].kind, guess, place, names.length))
    .join(" ")}${better(found)}`;
  view.finding.textContent = findingOf(names[place], found);
}

function showGuesses({ read, place }, { guessed, list }, guess, top) {
  const word = readable(read.tokens[place]);
  guessed.textContent = guess ? "its best guesses" : "no guess: nothing was read";
  if (!guess) return bars(list, []);
  const [tokens, shares] = guess.top;
  const rows = tokens.map((token, i) => {
    const right = token === read.tokens[place] ? " ✓" : "";
    return [`${readable(token)}${right}`, shares[i] / top, percent(shares[i])];
  });
  if (guess.rank > tokens.length) {
    rows.push([`${guess.rank}. ${word} ✓`, guess.p / top, percent(guess.p)]);
  }
  return bars(list, rows);
}

// ---- in words

function lookOf({ read, names, place }, kind) {
  const row = read[kind].looks[place];
  const most = row.indexOf(Math.max(...row));
  if (!(row[most] > 0)) return `${kind} looks at nothing.`;
  const whom = `${names[most]}, ${percent(row[most])}`;
  return `To guess ${names[place]}, ${kind} looks most at ${whom}.`;
}

function said(kind, guess, place, n) {
  if (!guess) return `${kind} has read nothing and cannot guess.`;
  const before = place === 1 ? "the token" : `the ${place} tokens`;
  const seen = kind === "GPT" ? `${before} before` : `the ${n - 1} others`;
  return `${kind} reads ${seen} and gives it ${percent(guess.p)}, rank ${commas(guess.rank)}.`;
}

function findingOf(name, [gpt, bert]) {
  if (!gpt) return `GPT has read nothing before “${name}”; BERT gives it ${percent(bert.p)}.`;
  return `BERT gives the covered “${name}” ${percent(bert.p)}, GPT gives it ${percent(gpt.p)}.`;
}

function better([gpt, bert]) {
  if (!gpt || !bert) return "";
  const nats = Math.log(bert.p / gpt.p);
  return ` ${nats > 0 ? "BERT" : "GPT"} is ${Math.abs(nats).toFixed(1)} nats better.`;
}

export default start(draw);
