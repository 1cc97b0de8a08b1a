// How an explorer is shown: by anywidget in a notebook, or in a static page.

import { answering, asked, engineOf, fetchEngine } from "../engine/client.js";
import { isDark } from "./common.colors.js";
import { el } from "./common.elements.js";
import { pausing } from "./pause.js";
import { addTools, restoreState } from "./picture.js";

// Each explorer defines draw(model, root); this wraps it for anywidget. It is drawn anew when
// the theme changes, and when an earlier state is restored. Its root hears "gx-end" when the
// view is removed. record: the one of records.js that answers its questions, see asked in
// client.js.
export function start(draw, record = null) {
  const answer = record && asked(record);
  // of all views of a widget: each loads this anew
  const own = { traits: {}, heard: [], unsent: {}, sent: {} };
  return {
    answer, // for tests
    render({ model: widget, el: host }) {
      const given = pausing(widget, own);
      const asking = answer && answering(given, answer, own);
      const model = asking?.model ?? given;
      const root = el("div", "gx", host);
      let heard = scopedModel(model);
      const redraw = () => {
        heard.end();
        heard = scopedModel(model);
        root.replaceChildren();
        root.classList.toggle("gx-dark", isDark(root));
        draw(heard, root);
        addTools(given, model, root);
        if (given.still && !(answer && engineOf(given))) disableQuestions(root);
      };
      keepKeys(root);
      if (answer) fetchWhenTouched(given, root);
      redraw();
      if (given.take) given.restore = traits => restoreState(model, traits, redraw);
      const forget = onTheme(
        () => isDark(root) !== root.classList.contains("gx-dark") && redraw(),
      );
      setTimeout(() => hideStaticPicture(root), 0);
      return () => {
        forget();
        asking?.forget();
        heard.end();
        given.end?.();
        root.dispatchEvent(new Event("gx-end"));
      };
    },
  };
}

// Before the first question comes, the engine is on its way.
function fetchWhenTouched(model, root) {
  root.addEventListener("pointerenter", () => fetchEngine(model));
  root.addEventListener("focusin", e => {
    if (e.target.closest(".gx-prompt, .gx-asks")) fetchEngine(model);
  });
}

// The model for one drawing: what that drawing listens to ends with it.
function scopedModel(model) {
  const heard = [];
  return {
    get: name => model.get(name),
    set: (name, value) => model.set(name, value),
    save_changes: () => model.save_changes(),
    on(event, act) {
      heard.push([event, act]);
      model.on(event, act);
    },
    end() {
      for (const [event, act] of heard) model.off(event, act);
    },
  };
}

// Act when the theme may have changed; returns what stops that.
function onTheme(act) {
  const observer = new MutationObserver(act);
  const attributeFilter = ["data-jp-theme-light", "class"];
  observer.observe(document.body, { attributes: true, attributeFilter });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", act);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", act);
  };
}

// Keys that JupyterLab binds in command mode are ours here; those that run a cell are its own,
// and Escape, where no view wants it, leads back to the cell. Notebook 7 takes keys before they
// get here, unless the element that has the focus says so itself.
function keepKeys(root) {
  root.addEventListener("focusin", e => {
    e.target.dataset.lmSuppressShortcuts = "true";
  });
  root.addEventListener("keydown", e => {
    const runs = e.key === "Enter" && (e.shiftKey || e.ctrlKey || e.altKey);
    if (e.key === "Escape") root.closest(".jp-Cell")?.focus();
    else if (!runs) e.stopPropagation();
  });
}

// In a static copy there is no model that could answer.
const STILL = "In the notebook the model answers here.";

function disableQuestions(root) {
  for (const asks of root.querySelectorAll(
    ".gx-prompt, .gx-asks, .gx-asks input, button.gx-word",
  )) {
    asks.disabled = true;
    asks.title = STILL;
  }
  for (const hint of root.querySelectorAll(".gx-hint")) hint.textContent = STILL;
}

// The picture above has done its duty once the live view runs.
function hideStaticPicture(root) {
  const area = root.closest(".jp-OutputArea");
  if (!area) return;
  for (const child of area.querySelectorAll(":scope > .jp-OutputArea-child")) {
    const still = child.querySelector("figure[data-static]");
    if (still && !child.contains(root)) child.style.display = "none";
  }
}
