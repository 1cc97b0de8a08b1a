// Two zooms with a column per token and a row per station: the model, and a block.
//
// A station: name, note, tall (pixels), and for each token: numbers(t) it holds (or null),
// guess(t) = [piece, P] (or null), said(t), a sentence. deeper: where Enter leads, or null.
// from(t): whom its attention looks at, T weights, drawn in the room above it.

const gutterOf = ({ width }) => (width < 520 ? 84 : 106); // for the stations' names
const MARGIN = 44; // for the scales
const STRIP_TALL = 15;

function modelStations(view) {
  const { L, C, V, ids, names } = view;
  const table = (i, name, of) => ({
    name,
    tall: STRIP_TALL,
    gap: i ? 5 : 8,
    numbers: t => rowOfTable(view, i, t),
    said: t => `${of(t)}: ${C} numbers.`,
  });
  return [
    {
      name: "token, id",
      tall: 34,
      gap: 0,
      paint: paintToken,
      said: t =>
        `“${readable(view.tokens[t])}” is token ${commas(ids[t])} of ${commas(V)}: ` +
        "this number is all that the model is told.",
    },
    table(0, "Wₑ row", t => `Row ${commas(ids[t])} of Wₑ, the table of tokens`),
    table(1, "+ Wₚ row", t => `Row ${t} of Wₚ, the table of positions`),
    guessStation(view, 0, "sum", t => `“${names[t]}” goes into block 0 as the sum of two rows`),
    ...Array.from({ length: L }, (_, block) => ({
      ...guessStation(
        view,
        block + 1,
        `block ${block}`,
        t => `“${names[t]}” after block ${block}`,
      ),
      deeper: { zoom: "block", block },
      from: t => part(view.looks[block], t, view.T),
    })),
    {
      name: "logits",
      note: "state × Wₑᵀ",
      tall: 34,
      gap: 10,
      paint: paintCrowd,
      said: t => saidOfLogits(view, t),
    },
    { name: "softmax", tall: 38, gap: 6, paint: paintAnswer, said: t => saidOfAnswer(view, t) },
  ];
}

function guessStation(view, depth, name, where) {
  const { lens } = view;
  return {
    name,
    tall: 36 + STRIP_TALL,
    gap: depth ? 44 : 8,
    guess: t => lens[depth][t][0],
    was: t => view.whole[depth][t],
    numbers: t => (depth ? stateOf(view, depth - 1, "h", t) : sumRow(view, t)),
    said: t =>
      `${where(t)}. If the model ended here, it would guess ` +
      `${lens[depth][t].map(([piece, p]) => `“${named(piece)}” ${percent(p)}`).join(", ")}.`,
  };
}

function saidOfLogits({ words, names, crowd, V }, t) {
  const [piece, logit] = words[t][0];
  return (
    `The last state of “${names[t]}” times Wₑᵀ: ${commas(V)} logits, drawn as a crowd from ` +
    `${two(crowd.low)} to ${two(crowd.high)}. “${named(piece)}” has the largest, ${two(logit)}.`
  );
}

function saidOfAnswer(view, t) {
  const { words, names, silent } = view;
  const [[piece, , p, whole], second] = words[t];
  const before = silent.length ? ` (with all heads ${percent(whole)})` : "";
  return (
    `Softmax makes probabilities of the logits: after “${names[t]}” comes “${named(piece)}” ` +
    `with ${percent(p)}${before}, then “${named(second[0])}” with ${percent(second[2])}.`
  );
}

function blockStations(view) {
  const { block, H, D, C } = view;
  const state = kind => t => stateOf(view, block, kind, t);
  const plus = (one, two) => t => added(one(t), two(t));
  const x = t => incoming(view, block, t);
  const [attended, n, mlp] = ["attended", "n", "mlp"].map(state);
  const heads = Array.from({ length: H }, (_, head) => headStation(view, head));
  const wide = `The ${H} heads’ ${D} numbers side by side, times W_O: what attention adds to`;
  const norm = "The sum, brought to mean 0 and variance 1, then times a gain and plus a bias:";
  const row = rowOf(view);
  return [
    {
      name: "token",
      tall: 20,
      gap: 0,
      paint: paintName,
      said: t => `The column of “${view.names[t]}”.`,
    },
    { ...row("comes in", "x", x, `What comes into block ${block}:`), gap: 8 },
    ...heads,
    row("project", "a = heads · W_O", attended, wide),
    { ...row("sum", "x + a", plus(x, attended), "What came in plus what was added:"), past: 1 },
    row("LayerNorm", "n", n, norm),
    neuronStation(view),
    row("back", `m, ${C} again`, mlp, "What the neurons add to"),
    { ...row("sum", "n + m", plus(n, mlp), "Both added:"), past: H + 4 },
    row("LayerNorm", "h, goes out", state("h"), `What block ${block} makes of`),
  ];
}

// A row of strips: how many numbers, and how long each token's are.
const rowOf = view => (name, note, numbers, what) => ({
  name,
  note,
  tall: 22,
  gap: 14,
  numbers,
  said: t => {
    const values = numbers(t);
    const length = `${commas(values.length)} numbers of length ${lengthOf(values).toFixed(1)}`;
    return `${what} “${view.names[t]}”, ${length}.`;
  },
});

const lengthOf = values => Math.sqrt(values.reduce((total, v) => total + v * v, 0));

function headStation(view, head) {
  const { block, D, names, T } = view;
  const off = isSilent(view, block, head);
  const look = t => Array.from({ length: T }, (_, s) => weightOf(view, block, head, t, s));
  const said = t => {
    const weights = look(t);
    const best = weights.indexOf(Math.max(...weights));
    return off
      ? `Head ${head} is off: it brings ${D} zeros.`
      : `Head ${head} mixes values into ${D} numbers for “${names[t]}”: ` +
          `${percent(weights[best])} is the value of “${names[best]}”. Enter opens the head.`;
  };
  return {
    name: `head ${head}`,
    note: off ? "off" : "",
    tall: 16,
    gap: 24,
    off,
    head,
    numbers: t => broughtBy(view, block, head, t),
    from: off ? null : look,
    said,
    deeper: { zoom: "head", head },
  };
}

function neuronStation(view) {
  const { block, C, names } = view;
  const numbers = t => neuronsAt(view, block, t);
  return {
    name: "neurons",
    note: `${commas(4 * C)}, GELU`,
    tall: 34,
    gap: 14,
    times: 10, // most are near 0: let those that fire stand out
    numbers,
    said: t => {
      const n = numbers(t).filter(v => v > 0).length;
      return `${commas(n)} of ${commas(4 * C)} neurons fire at “${names[t]}”.`;
    },
  };
}

// ---- where things lie

function gridLayout(stations) {
  return view => {
    const all = stations(view);
    const gutter = gutterOf(view);
    const wide = Math.max(58, Math.min(130, (view.width - gutter - MARGIN) / view.T));
    let y = 6;
    for (const station of all) {
      y += station.gap;
      station.top = y;
      y += station.tall;
    }
    return { stations: all, wide, gutter, W: wide * view.T + MARGIN, H: y + 8 };
  };
}

const boxOf = ({ wide }, { top, tall }, t) => ({
  x: t * wide + 6,
  y: top,
  w: wide - 9,
  h: tall,
});

// Of a state with a guess only the lower part is numbers.
function stripBox(box, station) {
  if (!station.guess) return box;
  return { ...box, y: box.y + box.h - STRIP_TALL, h: STRIP_TALL };
}

// The place under a point, with the number there.
function gridHit({ geo: { stations, wide }, T }, x, y) {
  const place = Math.floor(x / wide);
  const station = stations.findIndex(
    ({ top, tall, gap }) => y >= top - gap / 2 && y <= top + tall,
  );
  if (place < 0 || place >= T || station < 0) return null;
  const { numbers, ...its } = stations[station];
  const box = stripBox(boxOf({ wide }, its, place), its);
  const index = numbers ? numberAt(box, numbers(place).length, x, y) : -1;
  return { place, station, index };
}

function gridStep(view, dx, dy, far) {
  const last = [view.T - 1, view.geo.stations.length - 1];
  const to = (at, d, most) => Math.max(0, Math.min(most, at + (far ? d * most : d)));
  if (dx) choose(view, { place: to(view.place, dx, last[0]) });
  if (dy) view.station = to(view.station, dy, last[1]);
  view.index = -1;
  const { head } = view.geo.stations[view.station];
  if (head !== undefined && head !== view.head) choose(view, { head });
}

function gridSays(view, { place, station, index }) {
  const its = view.geo.stations[station];
  const numbers = index >= 0 && its.numbers?.(place);
  const own = numbers ? ` Number ${index} of these: ${minus(numbers[index].toFixed(3))}.` : "";
  return its.said(place) + own;
}

// ---- painting

function paintGrid(view, pen) {
  const { geo, T, colors } = view;
  for (const station of geo.stations) {
    const { numbers, times = 3 } = station;
    station.reach ??= numbers ? reach(everyToken(view, numbers), times) : 0;
    if (station.past !== undefined) paintPast(view, pen, station);
    if (station.from) {
      for (let t = 0; t < T; t++) paintLooks(view, pen, station, t, false);
    }
    for (let t = 0; t < T; t++) {
      const box = boxOf(geo, station, t);
      if (station.paint) station.paint(view, pen, box, t);
      if (station.guess) paintGuess(view, pen, box, station, t);
      if (station.numbers) paintNumbers(view, pen, stripBox(box, station), station, t);
    }
    if (numbers && !station.off) {
      const at = station.top + station.tall - (station.guess ? 3 : station.tall / 2 - 4);
      words(pen, `±${brief(station.reach)}`, geo.wide * T + 4, at, colors.soft, 11, "left");
    }
  }
}

const brief = v => (v >= 10 ? v.toFixed(0) : v >= 1 ? v.toFixed(1) : v.toFixed(2));
const everyToken = ({ T }, numbers) => Array.from({ length: T }, (_, t) => numbers(t));

// The way past a part, that the sum needs: a line from the row where it starts.
function paintPast({ geo, T, colors }, pen, { top, tall, past }) {
  const from = geo.stations[past];
  const [high, low] = [from.top + from.tall / 2, top + tall / 2];
  pen.strokeStyle = colors.ink;
  pen.globalAlpha = 0.45;
  pen.lineWidth = 1.2;
  for (let t = 0; t < T; t++) {
    const x = t * geo.wide + 1.5;
    pen.beginPath();
    pen.moveTo(x + 4, high);
    pen.quadraticCurveTo(x, high, x, high + 7);
    pen.lineTo(x, low - 7);
    pen.quadraticCurveTo(x, low, x + 4, low);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function paintNumbers(view, pen, box, station, t) {
  if (station.off) hatch(pen, box, view.colors.soft);
  else patch(view, pen, station.numbers(t), box, station.reach);
}

function paintName({ colors, names }, pen, { x, y, w }, t) {
  words(pen, names[t], x + w / 2, y + 15, colors.ink, 14, "center", w + 6, 600);
}

function paintToken(view, pen, box, t) {
  const { colors, ids } = view;
  const { x, y, w } = box;
  paintName(view, pen, box, t);
  words(pen, commas(ids[t]), x + w / 2, y + 30, colors.soft, 11, "center", w);
}

function paintGuess(view, pen, { x, y, w }, { guess, was, tall }, t) {
  const [piece, p] = guess(t);
  const color = rgb(p, view.dark);
  pen.fillStyle = css(color);
  pen.fillRect(x, y, w, 36);
  pen.strokeStyle = view.colors.line;
  pen.lineWidth = 1;
  pen.strokeRect(x - 0.5, y - 0.5, w + 1, tall + 1);
  words(pen, readable(piece), x + w / 2, y + 16, ink(color), 13, "center", w - 4, 500);
  words(pen, percent(p), x + w / 2, y + 30, ink(color), 11, "center", w - 4);
  if (was(t)[0] !== piece) changed(pen, x, y, w, color);
}

// A black corner: with all heads there was another word here.
function changed(pen, x, y, w, color) {
  pen.fillStyle = ink(color);
  pen.beginPath();
  pen.moveTo(x + w - 10, y);
  pen.lineTo(x + w, y);
  pen.lineTo(x + w, y + 10);
  pen.fill();
}

// A crowd of logits from low to high; the largest stands alone, far to the right.
function paintCrowd({ crowd, words: next, colors }, pen, { x, y, w, h }, t) {
  const counts = crowd.counts[t];
  const most = Math.sqrt(Math.max(...counts));
  const step = w / counts.length;
  pen.fillStyle = colors.soft;
  counts.forEach((n, i) => {
    const tall = ((h - 8) * Math.sqrt(n)) / most;
    pen.fillRect(x + i * step, y + h - 2 - tall, Math.max(0.8, step - 0.4), tall);
  });
  const at = x + (w * (next[t][0][1] - crowd.low)) / (crowd.high - crowd.low);
  pen.fillStyle = colors.accent;
  pen.fillRect(at - 1.5, y + 2, 2.4, h - 4);
}

function paintAnswer(view, pen, { x, y, w }, t) {
  const [piece, , p] = view.words[t][0];
  const { colors } = view;
  words(pen, readable(piece), x + w / 2, y + 15, colors.ink, 15, "center", w + 4, 700);
  words(pen, percent(p), x + w / 2, y + 31, colors.soft, 12, "center", w);
}

// From whom a token takes: a curve for each, as thick as the weight.
function paintLooks(view, pen, station, t, chosen) {
  const { geo, colors, dark } = view;
  const [high, low] = [station.top - station.gap + 2, station.top - 1];
  const weights = station.from(t);
  const x = s => (s + 0.5) * geo.wide;
  const middle = (high + low) / 2;
  pen.strokeStyle = chosen ? colors.accent : colors.ink;
  for (let s = 0; s <= t; s++) {
    if (weights[s] < (chosen ? 0.02 : 0.08)) continue;
    const end = x(t) + ((s + 0.5) / (t + 1) - 0.5) * 0.6 * geo.wide; // in order, side by side
    pen.globalAlpha = chosen ? 0.9 : (dark ? 0.16 : 0.1) + 0.2 * weights[s];
    pen.lineWidth = s === t && !chosen ? 1.5 : 0.6 + 6 * weights[s];
    pen.beginPath();
    pen.moveTo(x(s), high);
    pen.bezierCurveTo(x(s), middle, end, middle, end, low);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

// The column of the token, and a frame around the place itself.
function markGrid(view, pen, { place, station, index }) {
  const { geo, colors } = view;
  const [first, last] = [geo.stations[0], geo.stations.at(-1)];
  const column = boxOf(geo, first, place);
  pen.strokeStyle = colors.accent;
  pen.globalAlpha = 0.5;
  pen.lineWidth = 1;
  pen.strokeRect(
    column.x - 2.5,
    first.top - 1,
    column.w + 5,
    last.top + last.tall - first.top + 2,
  );
  pen.globalAlpha = 1;
  for (const its of geo.stations) if (its.from) paintLooks(view, pen, its, place, true);
  const its = geo.stations[station];
  const box = boxOf(geo, its, place);
  frame(pen, box, colors);
  if (index >= 0) markNumber(pen, stripBox(box, its), its.numbers(place).length, index, colors);
}

function paintGutter({ geo, colors }, pen, { station }) {
  const x = geo.gutter - 10;
  geo.stations.forEach(({ name, note, top, tall, guess }, i) => {
    const color = i === station ? colors.accent : colors.ink;
    const y = guess ? top + 22 : top + tall / 2 + 4 - (note ? 5 : 0);
    words(pen, name, x, y, color, 12.5, "right", x - 2, i === station ? 700 : 500);
    if (note) words(pen, note, x, y + 12, colors.soft, 10.5, "right", x - 2);
  });
}

const gridZoom = stations => ({
  around: ({ geo, place }) => ({ x: place * geo.wide, w: geo.wide + MARGIN }),
  layout: gridLayout(stations),
  paint: paintGrid,
  mark: markGrid,
  gutter: paintGutter,
  hit: gridHit,
  step: gridStep,
  says: gridSays,
  numbers: (view, { station, place }) => view.geo.stations[station].numbers?.(place),
  deeper: ({ geo }, { station }) => geo.stations[station].deeper,
});
