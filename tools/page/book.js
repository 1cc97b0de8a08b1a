// Every page of the book: live views follow its theme, and Present shows it as slides.

const root = document.documentElement;

if (root.dataset.theme === "auto") {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "dark" : "light"; // before anything is drawn
}

// ---- live views follow the page's light or dark

function dress(frame) {
  const body = frame.contentDocument?.body;
  if (!body) return;
  const dark = root.dataset.theme === "dark";
  const paper = getComputedStyle(document.body).backgroundColor;
  body.style.colorScheme = dark ? "dark" : "light";
  body.style.background = paper;
  for (const name of ["layout-color0", "layout-color1"]) {
    body.style.setProperty(`--jp-${name}`, paper);
  }
  body.dataset.jpThemeLight = String(!dark); // the view draws itself again
}

// As tall as it needs; it stands in the place of its picture.
function fit(frame) {
  const body = frame.contentDocument?.body;
  if (!body) return;
  const grow = () => {
    frame.style.height = `${body.scrollHeight + 32}px`;
  };
  new ResizeObserver(grow).observe(body);
  frame.previousElementSibling.style.display = "none";
}

function showView({ target: frame }) {
  if (!frame.matches?.("iframe[srcdoc]")) return;
  dress(frame);
  fit(frame);
}

const dressAll = () => document.querySelectorAll("iframe[srcdoc]").forEach(dress);
document.addEventListener("load", showView, true);
new MutationObserver(dressAll).observe(root, { attributeFilter: ["data-theme"] });

// ---- presenting: the parts of a section that stand before its subsections are a slide

const slides = [];
let shown = 0;

function collect() {
  for (const section of document.querySelectorAll(".bd-article section")) {
    const parts = [...section.children].filter(part => part.tagName !== "SECTION");
    if (parts.length) slides.push({ section, parts });
  }
}

function show(to) {
  shown = Math.max(0, Math.min(slides.length - 1, to));
  slides.forEach(({ parts }, i) => {
    for (const part of parts) part.classList.toggle("page-off", i !== shown);
  });
  document.querySelector(".page-place").textContent = `${shown + 1} of ${slides.length}`;
  scrollTo(0, 0);
}

// The slide that is in view begins.
function present() {
  const passed = slides.filter(({ section }) => section.getBoundingClientRect().top < 120);
  root.classList.add("presenting");
  show(passed.length - 1);
}

function leave() {
  root.classList.remove("presenting");
  for (const { parts } of slides) for (const part of parts) part.classList.remove("page-off");
  slides[shown].section.scrollIntoView();
}

const KEYS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };

function onKey(e) {
  if (!root.classList.contains("presenting") || e.ctrlKey || e.altKey || e.metaKey) return;
  if (e.key === "Escape") return leave();
  if (!KEYS[e.key] || e.target.closest?.("input, textarea, [role=radio]")) return;
  e.preventDefault();
  show(shown + KEYS[e.key]);
}

function addButton(parent, text, name, act) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", textContent: text, onclick: act });
  button.setAttribute("aria-label", name);
  parent.append(button);
  return button;
}

function addBar() {
  const bar = document.createElement("div");
  bar.className = "page-bar";
  addButton(bar, "‹", "Section before", () => show(shown - 1));
  const place = document.createElement("span");
  place.className = "page-place";
  place.setAttribute("aria-live", "polite");
  bar.append(place);
  addButton(bar, "›", "Next section", () => show(shown + 1));
  addButton(bar, "End", "End presenting", leave);
  document.body.append(bar);
}

// A formula that is wider than the text scrolls, by keyboard as well; a fold is called by the
// words on it.
function makeReachable() {
  for (const formula of document.querySelectorAll("math")) {
    const room = formula.parentElement.getBoundingClientRect().right + 1;
    const right = formula.getBoundingClientRect().left + formula.scrollWidth;
    if (right <= room) continue;
    formula.classList.add("page-wide");
    formula.tabIndex = 0;
  }
  for (const fold of document.querySelectorAll("details.hide > summary")) {
    fold.removeAttribute("aria-label");
  }
  for (const fold of document.querySelectorAll(".bd-sidebar-primary summary")) {
    fold.setAttribute("aria-label", "Show or hide the pages below");
  }
}

document.addEventListener("DOMContentLoaded", () => {
  dressAll();
  makeReachable();
  collect();
  const tools = document.querySelector(".article-header-buttons");
  if (!tools || slides.length < 2) return;
  addBar();
  addButton(tools, "Present", "Present this page section by section", present).className =
    "page-present";
  document.addEventListener("keydown", onKey);
});
