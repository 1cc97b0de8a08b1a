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
  body.style.setProperty("--gx-size", "14.5px"); // beside prose of 18 px
  body.style.marginInline = "2px"; // as wide as the prose, and room for a focus ring
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
  restore(frame);
}

// ---- the state of a view in the address: #view=HeadsExplorer&state={"head":7}

const framesOf = title =>
  [...document.querySelectorAll("iframe[srcdoc]")].filter(
    frame => !title || frame.title === title,
  );

// The address now leads to a view as it stands; a view calls this, and shows what is returned.
globalThis.gpt1Link = (frame, state) => {
  const number = framesOf(frame.title).indexOf(frame);
  const view = number ? `${frame.title}.${number}` : frame.title;
  const hash = new URLSearchParams({ view, state: JSON.stringify(state) });
  history.replaceState(null, "", `#${hash}`);
  navigator.clipboard?.writeText(location.href).catch(() => {});
  return "The address of this page leads here now: copy it.";
};

// What the address asks for, once its view is there.
function restore(frame) {
  const asked = new URLSearchParams(location.hash.slice(1));
  const [title, number = 0] = (asked.get("view") ?? "").split(".");
  if (!title || framesOf(title)[+number] !== frame) return;
  try {
    frame.contentWindow.model.restore(JSON.parse(asked.get("state")));
  } catch {
    return; // an address may hold anything
  }
  frame.scrollIntoView({ block: "center" });
}

addEventListener("hashchange", () => framesOf().forEach(restore));

const dressAll = () => document.querySelectorAll("iframe[srcdoc]").forEach(dress);
document.addEventListener("load", showView, true);
new MutationObserver(dressAll).observe(root, { attributeFilter: ["data-theme"] });

// ---- presenting: slides of a picture, a view, a formula or a question each

const ROOM = 560; // pixels of text, before it is made larger
const LARGEST = 1.6; // times the page's size, and the smallest
const SMALLEST = 0.55;
const STRONG = "figure, iframe, table, math[display=block], .alert-info, .alert-warning";
const slides = [];
let shown = 0;

// What is for the one who works at the notebook: exercises, their checks, what sets it up.
function isWork(part) {
  if (part.matches(".page-way")) return true;
  const code = part.matches(".cell") && part.querySelector(".cell_input")?.textContent.trim();
  return Boolean(code && /^(import|from) /.test(code));
}

const isStrong = part => part.matches(STRONG) || part.querySelector(STRONG) !== null;

// Whether a part begins another slide: two that are strong never share one, and a long text
// is cut before it is too high.
function breaks(slide, part, tall) {
  if (slide.parts.length < 2) return false;
  return slide.tall + tall > ROOM || (slide.strong && isStrong(part));
}

function collect() {
  slides.length = 0;
  for (const section of document.querySelectorAll(".bd-article section")) {
    if (/^exercise-/.test(section.id) || section.closest("[id^=exercise-]")) continue;
    let slide = null;
    const heading = section.querySelector(":scope > :is(h1, h2, h3, h4)");
    const begin = () => {
      slide = { section, parts: heading ? [heading] : [], tall: 0, strong: false };
      slides.push(slide);
    };
    for (const part of section.children) {
      const apart = part.tagName === "SECTION" || part === heading || isWork(part);
      if (apart || !part.offsetHeight) continue;
      if (!slide || breaks(slide, part, part.offsetHeight)) begin();
      slide.parts.push(part);
      slide.tall += part.offsetHeight;
      slide.strong ||= isStrong(part);
    }
  }
}

function show(to) {
  shown = Math.max(0, Math.min(slides.length - 1, to));
  const here = new Set(slides[shown].parts);
  for (const { parts } of slides)
    for (const part of parts) part.classList.toggle("page-off", !here.has(part));
  for (const part of document.querySelectorAll(".bd-article section > :not(section)"))
    part.classList.toggle("page-off", !here.has(part));
  document.querySelector(".page-place").textContent = `${shown + 1} of ${slides.length}`;
  fitSlide();
  scrollTo(0, 0);
}

// As large as the screen has room for.
function fitSlide() {
  const article = document.querySelector(".bd-article");
  const room = innerHeight - document.querySelector(".page-bar").offsetHeight - 16;
  let zoom = LARGEST;
  for (; zoom > SMALLEST; zoom -= 0.05) {
    article.style.setProperty("--page-zoom", zoom.toFixed(2));
    if (
      document.documentElement.scrollHeight <= innerHeight + 1 &&
      article.offsetHeight * zoom <= room
    )
      break;
  }
}

// The slide that is in view begins.
function present() {
  collect(); // now that its pictures are there
  const passed = slides.filter(({ parts }) => parts.at(-1).getBoundingClientRect().top < 120);
  root.classList.add("presenting");
  show(passed.length - 1);
  document.querySelector(".page-bar button:last-child").focus();
}

function leave() {
  root.classList.remove("presenting");
  for (const part of document.querySelectorAll(".page-off")) part.classList.remove("page-off");
  slides[shown].parts.at(-1).scrollIntoView();
  document.querySelector(".page-present").focus({ preventScroll: true });
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
  addButton(bar, "‹", "Slide before", () => show(shown - 1));
  const place = document.createElement("span");
  place.className = "page-place";
  place.setAttribute("aria-live", "polite");
  bar.append(place);
  addButton(bar, "›", "Next slide", () => show(shown + 1));
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
  const tools = document.querySelector(".article-header-buttons");
  if (!tools || document.querySelectorAll(".bd-article section").length < 2) return;
  addBar();
  addEventListener("resize", () => root.classList.contains("presenting") && fitSlide());
  addButton(tools, "Present", "Present this page as slides", present).className =
    "page-present";
  document.addEventListener("keydown", onKey);
});
