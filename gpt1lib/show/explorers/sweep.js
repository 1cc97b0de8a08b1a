// Stored runs over the values of one setting: each seed a dot, mean and interval a bar.

function draw(model, root) {
  const W = 720, H = 300, L = 62, R = 120, T = 14, B = 44;
  const values = model.get("values"), tasks = Object.entries(model.get("tasks")), name = model.get("setting");
  const svg = shape("svg", root, { viewBox: `0 0 ${W} ${H}`, role: "img", width: "100%" });
  svg.style.maxWidth = W + "px";
  const drag = slider(root, name, { min: 0, max: values.length - 1, step: 1, value: 0, text: i => values[i],
    help: "only values that were run" }, i => { model.set("chosen", values[i]); model.save_changes(); show(); });
  const said = live(root);
  const all = tasks.flatMap(([, places]) => places.flatMap(p => [...p.seeds, p.mean - p.half, p.mean + p.half]));
  const low = Math.min(...all) - .01, high = Math.max(...all) + .01;
  const x = i => L + (W - L - R) * (i + .5) / values.length, y = v => T + (H - T - B) * (high - v) / (high - low);

  function show() {
    const at = values.indexOf(model.get("chosen"));
    drag.set(at);
    svg.replaceChildren();
    shape("rect", svg, { x: x(at) - 30, width: 60, y: T, height: H - T - B, class: "gx-band" });
    for (const v of ticks(low, high)) {
      shape("line", svg, { x1: L, x2: W - R, y1: y(v), y2: y(v), class: "gx-grid-line" });
      shape("text", svg, { x: L - 7, y: y(v) + 4, "text-anchor": "end" }, percent(v, 0));
    }
    values.forEach((v, i) => shape("text", svg, { x: x(i), y: H - B + 18, "text-anchor": "middle", class: i === at ? "gx-strong" : "" }, v));
    shape("text", svg, { x: (L + W - R) / 2, y: H - 6, "text-anchor": "middle" }, name);
    shape("text", svg, { x: 14, y: (T + H - B) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(T + H - B) / 2})` }, "accuracy");
    tasks.forEach(([task, places], k) => line(task, places, k));
    said.textContent = `${name} = ${values[at]}. ` + tasks.map(([task, places]) => sentence(task, places[at], at)).join(" ");
    svg.setAttribute("aria-label", said.textContent);
  }
  function line(task, places, k) {
    const fill = HUES[k % HUES.length], dx = 14 * (k - (tasks.length - 1) / 2);
    places.forEach((p, i) => {
      const X = x(i) + dx;
      shape("line", svg, { x1: X, x2: X, y1: y(p.mean - p.half), y2: y(p.mean + p.half), stroke: fill, "stroke-width": 2 });
      for (const s of p.seeds) shape("circle", svg, { cx: X + 6, cy: y(s), r: 2.2, fill });
      if (k % 2) shape("rect", svg, { x: X - 4.5, y: y(p.mean) - 4.5, width: 9, height: 9, fill });
      else shape("circle", svg, { cx: X, cy: y(p.mean), r: 5, fill });
    });
    const d = places.map((p, i) => (i ? "L" : "M") + (x(i) + dx).toFixed(1) + " " + y(p.mean).toFixed(1)).join("");
    shape("path", svg, { d, fill: "none", stroke: fill, "stroke-width": 1, "stroke-dasharray": k % 2 ? "4 3" : "" });
    shape("text", svg, { x: W - R + 4, y: y(places.at(-1).mean) + 4 }, task.replaceAll("_", " "));
  }
  function sentence(task, p, at) {
    const said = `${task.replaceAll("_", " ")}: ${percent(p.mean)} ± ${percent(p.half)} over ${p.seeds.length} seeds`;
    if (values[at] === model.get("compared")) return said + ".";
    const gain = (p.gain < 0 ? "−" : "+") + percent(Math.abs(p.gain)).slice(0, -1);
    const clear = Math.abs(p.gain) > p.give ? "clear" : "not clear";
    return `${said}; against ${model.get("compared")}, seed by seed, ${gain} ± ${percent(p.give).slice(0, -1)} points, ${clear}.`;
  }
  svg.addEventListener("click", e => {
    const box = svg.getBoundingClientRect(), share = ((e.clientX - box.left) / box.width * W - L) / (W - L - R);
    model.set("chosen", values[Math.min(values.length - 1, Math.max(0, Math.floor(share * values.length)))]);
    model.save_changes();
    show();
  });
  model.on("change:chosen", show);
  show();
}
