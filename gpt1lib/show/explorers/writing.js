// One prompt and one seed, several ways to go on, a row each; the kernel writes.
function draw(model, root) {
  const dark = root.classList.contains("gx-dark");
  const line = el("div", "gx-control", root), label = el("label", "", line, "prompt"), input = el("input", "gx-prompt", line);
  line.style.gridTemplateColumns = "4em minmax(120px, 560px)";
  input.id = label.htmlFor = `gx-${++serial}`;
  input.value = model.get("prompt"); input.spellcheck = false;
  input.addEventListener("change", () => ask("prompt", input.value));
  const drag = slider(root, "seed", { min: 0, max: 99, step: 1, value: model.get("seed"), help: "the same draws for every temperature" }, v => ask("seed", v));
  drag.row.classList.add("gx-asks");
  const status = el("p", "gx-note", root, ""), table = el("div", "gx-writings", root), said = live(root);
  el("p", "gx-note", root, "Shade: the probability that the model gave the token, at temperature 1. Framed: where a row first parts from the one above.");
  function ask(name, value) { status.textContent = "The model writes ..."; model.set(name, value); model.save_changes(); }
  function show() {
    const rows = model.get("rows");
    table.replaceChildren();
    rows.forEach(([name, mean, pairs], r) => {
      el("b", "", table, name);
      const text = el("p", "", table), above = r ? rows[r - 1][2] : pairs;
      const parted = pairs.findIndex(([piece], i) => piece !== above[i][0]);
      pairs.forEach(([piece, p], i) => {
        const s = el("span", i === parted ? "gx-parted" : "", text, readable(piece));
        const c = rgb(p, dark);
        s.style.background = css(c); s.style.color = ink(c);
        s.title = `${readable(piece)}: ${percent(p)}`;
        if (piece.endsWith("</w>")) text.append(" ");
      });
      el("small", "", table, mean.toFixed(2));
    });
    const best = rows.reduce((a, b) => b[1] > a[1] ? b : a);
    said.textContent = `The likeliest text, by the mean log-probability on the right, is that of ${best[0]} with ${best[1].toFixed(2)} nats a token.`;
    status.textContent = model.get("message") || "Type a prompt and press Enter, or move the seed.";
  }
  model.on("change:rows", show);
  model.on("change:message", () => { status.textContent = model.get("message"); });
  model.on("change:prompt", () => { input.value = model.get("prompt"); });
  model.on("change:seed", () => drag.set(model.get("seed")));
  show();
}
