// What stands below each view: save it as a picture, and in the book a link to its state.

import { NS, shape } from "./common.charts.js";
import { button, el } from "./common.elements.js";
import { download } from "./common.files.js";
import { save } from "./common.traits.js";

export function addTools(given, model, root) {
  const box = el("div", "gx-tools", root);
  const said = el("span", "gx-note", box);
  said.setAttribute("role", "status");
  const save = button(box, "Save as picture", () =>
    saveAsPicture(root).catch(error => {
      said.textContent = `This browser cannot draw it: ${error.message}.`;
    }),
  );
  box.prepend(save);
  if (given.take && parent !== window && parent.gpt1Link) {
    const link = button(box, "Link to this state", () => {
      said.textContent = parent.gpt1Link(frameElement, chosenOf(model));
    });
    save.after(link);
  }
}

// ---- a picture: the view as the browser lays it out, twice as sharp

const SHARP = 2;

async function saveAsPicture(root) {
  const url = pictureOf(root);
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = el("canvas", "", null);
  Object.assign(canvas, { width: SHARP * image.width, height: SHARP * image.height });
  const paint = canvas.getContext("2d");
  paint.fillStyle = getComputedStyle(root).getPropertyValue("--gx-paper");
  paint.fillRect(0, 0, canvas.width, canvas.height);
  paint.scale(SHARP, SHARP);
  paint.drawImage(image, 0, 0);
  const file = await new Promise(done => canvas.toBlob(done, "image/png"));
  if (!file) throw new Error("its picture is empty");
  download(`${fileNameOf(root)}.png`, file);
}

// Its finding, as the name of a file.
function fileNameOf(root) {
  const text = root.querySelector(".gx-finding")?.textContent ?? "";
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["view"];
  return words.slice(0, 8).join("-");
}

// SVG that holds the view's own elements and styles; what is drawn on a canvas is an image.
function pictureOf(root) {
  const { width, height } = root.getBoundingClientRect();
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  const svg = document.createElementNS(NS, "svg");
  for (const [k, v] of Object.entries(size)) svg.setAttribute(k, v);
  const inside = shape("foreignObject", svg, { width: "100%", height: "100%" });
  const page = el("div", "", inside);
  el("style", "", page, stylesOf(root));
  page.append(copyOfView(root));
  const text = new XMLSerializer().serializeToString(svg);
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

const INHERITED = ["ink", "soft", "line", "paper", "page", "accent", "press"];

// The rules for views, and the colors that the page around gives them.
function stylesOf(root) {
  const rules = [...document.styleSheets].flatMap(rulesOf);
  const own = rules.map(rule => rule.cssText).filter(text => text.includes("gx"));
  const style = getComputedStyle(root);
  const colors = INHERITED.map(name => {
    const value = style.getPropertyValue(`--gx-${name}`);
    return `--gx-${name}: ${value} !important;`;
  });
  const paper = style.getPropertyValue("--gx-paper");
  const look = `background: ${paper}; font: ${style.font}; color: ${style.color};`;
  return `${own.join("\n")}\n.gx.gx { ${colors.join(" ")} ${look} }`;
}

// Those of a sheet from elsewhere, which no script may read, are none of ours.
function rulesOf(sheet) {
  try {
    return [...sheet.cssRules];
  } catch {
    return [];
  }
}

// A copy does not know what was drawn, chosen or typed.
function copyOfView(root) {
  const copy = root.cloneNode(true);
  const pairs = (tag, act) => {
    const twins = [...copy.querySelectorAll(tag)];
    [...root.querySelectorAll(tag)].forEach((e, i) => {
      act(e, twins[i]);
    });
  };
  pairs("canvas", (canvas, twin) => {
    const image = el("img", canvas.className, null);
    image.setAttribute("style", canvas.getAttribute("style") ?? "");
    const { width, height } = getComputedStyle(canvas);
    Object.assign(image.style, { width, height });
    image.src = canvas.width * canvas.height ? canvas.toDataURL() : "";
    twin.replaceWith(image);
  });
  pairs("input", (input, twin) => {
    twin.setAttribute("value", input.value);
  });
  pairs("textarea", (area, twin) => {
    twin.textContent = area.value;
  });
  copy.querySelector(".gx-tools")?.remove();
  return copy;
}

// ---- the state of a view, as an address can carry it

const ASKED = ["text", "texts", "seed", "factors"]; // what the model must be asked for anew

function chosenOf(model) {
  return Object.fromEntries(model.get("controls").map(name => [name, model.get(name)]));
}

// What an address holds: traits of this view alone, of the kinds that they have, and where
// one of them cannot be drawn, all as it was.
export function restoreState(model, given, redraw) {
  const before = chosenOf(model);
  const fits = ([name, value]) => name in before && kindOf(value) === kindOf(before[name]);
  const known = Object.entries(given).filter(fits);
  const traits = Object.fromEntries(known);
  const is = names => Object.fromEntries(known.filter(([name]) => names(name)));
  const put = some => {
    try {
      save(model, some);
      redraw();
    } catch {
      save(model, before);
      redraw();
    }
  };
  const asked = is(name => ASKED.includes(name));
  const others = is(name => !ASKED.includes(name));
  const changes = ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]);
  if (!Object.entries(asked).some(changes)) return put(traits);
  const answered = () => {
    model.off("change:answers", answered);
    put(others);
  };
  model.on("change:answers", answered);
  return save(model, asked);
}

const kindOf = value => (Array.isArray(value) ? "list" : typeof value);
