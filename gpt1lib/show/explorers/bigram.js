// A table of what follows what: pick a row, see its distribution.

function draw(model, root) {
  const names = model.get("names");
  const probs = halves(model, "data"); // (V, V)
  const view = { model, names, probs, V: names.length, row: model.get("row") };
  view.dark = root.classList.contains("gx-dark");
  view.widest = probs.reduce((a, b) => Math.max(a, b), 0);
  const cols = el("div", "gx-cols", root);
  const left = el("div", "", cols);
  const right = el("div", "", cols);
  addMatrix(view, left);
  colorScale(left, view.dark, "0 %", percent(view.widest, 0));
  view.title = el("p", "gx-title", right);
  view.list = el("ol", "gx-bars", right);
  view.list.style.width = "300px";
  view.said = live(right);
  follow(view, ["row"], () => show(view));
  show(view);
}

// ---- the matrix

function addMatrix(view, parent) {
  const { names, V } = view;
  const size = Math.max(9, Math.min(26, Math.floor(440 / V)));
  el("p", "gx-title", parent, "Row: this one. Column: what follows.");
  const matrix = el("div", "gx-matrix", parent);
  matrix.style.gridTemplate = `auto repeat(${V}, ${size}px) / auto ${V * size}px`;
  el("span", "", matrix);
  const top = el("div", "", matrix);
  top.style.cssText = `display:grid;grid-template-columns:repeat(${V},${size}px)`;
  for (const name of names) el("span", "gx-lab", top, name).style.color = "inherit";
  view.buttons = rowButtons(
    matrix,
    names,
    name => `row ${name}`,
    i => pick(view, i),
  );
  for (const b of view.buttons) b.style.lineHeight = 1;
  const big = bigPicture(matrix, V, "gx-big", (i, j) => {
    pick(view, i);
    big.wrap.title = `${names[j]} after ${names[i]}: ${percent(view.probs[i * V + j])}`;
  });
  big.canvas.setAttribute("aria-label", `${V} by ${V} table of probabilities`);
  view.mark = big.mark;
  paint(view, big.canvas);
}

function paint({ probs, V, widest, dark }, canvas) {
  canvas.width = canvas.height = V;
  const ctx = canvas.getContext("2d");
  for (let i = 0; i < V; i++) {
    for (let j = 0; j < V; j++) {
      ctx.fillStyle = css(rgb(probs[i * V + j] / widest, dark));
      ctx.fillRect(j, i, 1, 1);
    }
  }
}

// ---- one row

function pick(view, i) {
  if (i !== view.row) keep(view, { row: i });
  show(view);
}

function show(view) {
  const { names, V, row, list } = view;
  const probs = view.probs.subarray(row * V, (row + 1) * V);
  view.buttons.forEach((b, i) => {
    b.classList.toggle("gx-on", i === row);
    b.tabIndex = i === row ? 0 : -1;
  });
  view.mark.style.top = `${(100 * row) / V}%`;
  view.title.textContent = `After ${names[row]}`;
  const order = names.map((_, j) => j).sort((a, b) => probs[b] - probs[a]);
  list.replaceChildren();
  for (const j of order.slice(0, 12)) {
    const share = probs[j] / Math.max(view.widest, 1e-9);
    const line = bar(list, names[j], share, percent(probs[j]));
    line.style.gridTemplateColumns = "4em 1fr 4.6em";
  }
  const entropy = probs.reduce((total, p) => total + bitsOf(p), 0);
  view.said.textContent =
    `After ${names[row]}, most often ${names[order[0]]} (${percent(probs[order[0]])}). ` +
    `Entropy of the row: ${entropy.toFixed(2)} bits.`;
}

export default start(draw);
