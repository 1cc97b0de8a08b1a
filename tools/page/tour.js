// The tour: a stop that is scrolled to, or whose control is moved, sets the map beside it.

const frame = document.querySelector(".tour-map iframe");
const stops = [...document.querySelectorAll(".tour-stop")];
const mapOf = () => frame?.contentWindow?.model;

const lastPlace = () => (mapOf()?.get("tokens").length ?? 0) - 1;

// Only what the text of the map has: a shorter one has fewer places. And only what is new to
// the map: the same heads would be one more question to its model.
function put(state) {
  const model = mapOf();
  if (!model) return;
  const last = lastPlace();
  const kept = Object.entries(state).map(([name, value]) => [
    name,
    name === "place" || name === "other" ? Math.min(value, last) : value,
  ]);
  const isNew = ([name, value]) => JSON.stringify(value) !== JSON.stringify(model.get(name));
  model.take(Object.fromEntries(kept.filter(isNew)));
}

// At every stop all heads are on: one that was switched off at another stop is on again.
function reach(stop) {
  for (const other of stops) other.classList.toggle("tour-here", other === stop);
  set({ factors: {}, ...JSON.parse(stop.dataset.state) });
}

function set(state) {
  put(state);
  scrollMap(state);
}

// On a small screen the map is taller than its place: what is about the last token is below.
function scrollMap({ zoom, place }) {
  const stage = frame?.contentDocument?.querySelector(".gx-map-stage");
  if (!stage || !zoom) return;
  const box = document.querySelector(".tour-map");
  const foot = frame.offsetTop + stage.getBoundingClientRect().bottom;
  box.scrollTop = zoom === "model" && place >= lastPlace() ? foot - box.clientHeight : 0;
}

// The stop in the middle of the window is the one that is shown.
const seen = new IntersectionObserver(
  entries => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) reach(target);
  },
  { rootMargin: "-45% 0px -45% 0px" },
);

function addLines(input) {
  const lines = JSON.parse(input.dataset.lines);
  const line = input.closest(".tour-control").querySelector(".tour-line");
  const show = () => {
    line.textContent = lines[+input.value];
    input.setAttribute("aria-valuetext", line.textContent);
  };
  input.addEventListener("input", show);
  show();
}

function addControls(stop) {
  for (const input of stop.querySelectorAll("[data-trait]")) {
    input.addEventListener("input", () => put({ [input.dataset.trait]: +input.value }));
  }
  for (const input of stop.querySelectorAll("[data-ask]")) {
    const ask = () => mapOf()?.restore({ text: input.value });
    input.addEventListener("change", ask);
    input.addEventListener("keydown", e => e.key === "Enter" && ask()); // also as it stands
  }
  for (const press of stop.querySelectorAll("[data-press]")) {
    press.addEventListener("click", () => set(JSON.parse(press.dataset.press)));
  }
  for (const input of stop.querySelectorAll("[data-lines]")) addLines(input);
}

// Beside the stops the map needs no controls of its own. Its script may be later than this.
function bare() {
  const root = frame?.contentDocument?.querySelector(".gx");
  if (root) root.classList.add("gx-toured");
  else setTimeout(bare, 100);
}

if (frame) bare();
for (const stop of stops) {
  addControls(stop);
  seen.observe(stop);
}
