// The walk: one sentence per station, and the picture that goes with it. It goes on by Space
// or by its button, never by itself. Each step: where (zoom, station, ...) and what is said.

function walkSteps(view) {
  const { T, V, C, L, D, names, ids } = view;
  const last = T - 1;
  const look = tellingLook(view);
  const { block, head, place, other } = look;
  const [from, to] = [`“${names[place]}”`, `“${names[other]}”`];
  const model = station => ({ zoom: "model", place: last, station });
  const inHead = station => ({ zoom: "head", block, head, place, other, station });
  const score = two(scoreOf(view, block, head, place, other));
  const fire = neuronsAt(view, block, place).filter(v => v > 0).length;
  const [piece, , p] = view.words[last][0];
  const lens = view.lens[1][last][0];
  return [
    [
      model(0),
      `The text is cut into ${plural(T, "token")}. Of “${names[last]}” the model is told ` +
        `only a number, ${commas(ids[last])}.`,
    ],
    [
      model(3),
      `The number picks a row of Wₑ, the place a row of Wₚ; added, they are ${C} numbers: ` +
        "the state of this token.",
    ],
    [
      model(4),
      `Each of ${L} blocks rewrites all states. The word in a cell is what the model ` +
        `would guess if it ended there: after block 0 it is “${named(lens[0])}”.`,
    ],
    [
      { zoom: "block", block, head, place, other, station: 2 + head },
      `In block ${block} the heads bring each ` +
        `token numbers from others: follow the curves from ${from} in head ${head}.`,
    ],
    [
      inHead("scores"),
      `Head ${head} makes a query q of ${from} and a key k of ${to}; how well ` +
        `they fit is the score ${score}.`,
    ],
    [
      { ...inHead(), zoom: "cell" },
      `The score is nothing but ${D} products, added up and ` + `divided by √${D}.`,
    ],
    [
      inHead("weights"),
      `What comes later is masked, and softmax makes weights of a row: ${from} ` +
        `takes ${percent(look.weight)} from ${to}.`,
    ],
    [
      { zoom: "block", block, head, place, other, station: view.H + 5 },
      `What the heads brought is added and ` +
        `normalized; then ${commas(4 * C)} neurons look at the token alone, and ${fire} of them fire.`,
    ],
    [
      model(L + 5),
      `After the last block the state meets Wₑ once more: ${commas(V)} logits, and ` +
        `softmax gives “${named(piece)}” ${percent(p)}.`,
    ],
  ];
}

function addWalk(view, root) {
  const box = el("div", "gx-walk", root);
  view.walk = { box, at: -1 };
  view.walk.words = el("p", "gx-step", box);
  view.walk.words.setAttribute("aria-live", "polite");
  const buttons = el("div", "gx-turns", box);
  view.walk.back = button(buttons, "Back", () => walkTo(view, view.walk.at - 1));
  view.walk.next = button(buttons, "Next (Space)", () => walkTo(view, view.walk.at + 1));
  button(buttons, "End the walk", () => walkTo(view, -1));
  box.hidden = true;
}

// at: which step; -1, or one after the last, ends the walk.
function walkTo(view, at) {
  const { walk } = view;
  const steps = walkSteps(view);
  const within = !walk.box.hidden && walk.box.contains(document.activeElement);
  walk.at = at < steps.length ? at : -1;
  walk.box.hidden = walk.at < 0;
  view.start.hidden = walk.at >= 0;
  if (walk.at < 0) return within && view.stage.focus({ preventScroll: true });
  const [where, text] = steps[walk.at];
  walk.words.textContent = "";
  el("b", "", walk.words, `${walk.at + 1} of ${steps.length}  `);
  walk.words.append(text);
  walk.back.disabled = walk.at === 0;
  walk.next.textContent = walk.at === steps.length - 1 ? "Done (Space)" : "Next (Space)";
  const { station, ...traits } = where;
  view.station = station;
  view.index = -1;
  goTo(view, traits);
}

// Traits of a place that may lie in another zoom; view.station is set.
function goTo(view, traits) {
  const [before, now] = [view.zoom, traits.zoom].map(zoom => DEPTHS.indexOf(zoom));
  choose(view, traits);
  view.station ??= firstStation(view);
  show(view);
  if (before !== now) glide(view, now > before);
}
