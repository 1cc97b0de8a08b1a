// Colors, those of the static figures, and the scales that explain them.

import palette from "../palette.json" with { type: "json" };
import { el } from "./common.elements.js";

const { series: COLORS, magma: MAGMA } = palette;
export const ROLES = palette.roles;
export const BLUE = COLORS[0];
export const ORANGE = COLORS[1];
export const RED = COLORS[2];
const PURPLE = COLORS[3];
export const VIOLET = COLORS[5];
// darker than the fifth color: thin lines need the contrast
export const GRAY = ROLES.reference;
const STOPS = MAGMA.map(hex => [1, 3, 5].map(i => Number.parseInt(hex.slice(i, i + 2), 16)));

// 0..1 -> [r, g, b], interpolated between the stops; in the light theme 0 is pale.
export function rgb(v, dark) {
  const x = Math.min(1, Math.max(0, dark ? v : 1 - v)) * (STOPS.length - 1);
  const k = Math.min(STOPS.length - 2, Math.floor(x));
  const f = x - k;
  return [0, 1, 2].map(j => Math.round(STOPS[k][j] * (1 - f) + STOPS[k + 1][j] * f));
}

export const css = color => `rgb(${color.join(",")})`;

// Relative luminance (WCAG): 0 black, 1 white.
function luminance(color) {
  const [r, g, b] = color.map(v => {
    const x = v / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// White or black, what has more contrast.
export const ink = color => (luminance(color) < 0.179 ? "#fff" : "#000");

// The color of a name: that of its role, else the next one that no role here has.
export function hueOf(names, i) {
  const role = name => ROLES[name.replaceAll("_", " ")];
  const free = COLORS.filter(color => !names.map(role).includes(color));
  const before = names.slice(0, i).filter(name => !role(name)).length;
  return role(names[i]) ?? free[before % free.length];
}

// Of numbers below 0 and above it, as they are readable on each paper; keys: dark.
export const SIGNS = {
  false: [
    [33, 102, 172],
    [178, 24, 43],
  ],
  true: [
    [100, 181, 246],
    [255, 138, 101],
  ],
};

// -1..1: blue below 0, red above it, the paper at 0.
export function signed(v, dark) {
  const color = SIGNS[dark][v < 0 ? 0 : 1];
  return `rgba(${color.join(",")},${Math.min(1, Math.abs(v)).toFixed(3)})`;
}

// The background of an element, and a color that is readable on it.
export function shade(element, v, dark) {
  const color = rgb(v, dark);
  element.style.background = css(color);
  element.style.color = ink(color);
}

// From pale to full, with what its ends stand for.
export const colorScale = (parent, dark, low, high) =>
  scaleOf(parent, low, high, v => css(rgb(v, dark)));

// From blue to red, with what its ends stand for.
export const signedScale = (parent, low, high, dark) =>
  scaleOf(parent, low, high, v => signed(2 * v - 1, dark));

export function scaleOf(parent, low, high, color) {
  const scale = el("div", "gx-scale", parent);
  const colors = [0, 0.25, 0.5, 0.75, 1].map(color);
  el("span", "", scale, low);
  el("i", "", scale).style.background = `linear-gradient(90deg, ${colors.join(",")})`;
  el("span", "", scale, high);
  return scale;
}

// JupyterLab says so; elsewhere (a static copy, VS Code) the paper below says it.
export function isDark(root) {
  const light = document.body.dataset.jpThemeLight;
  if (light != null) return light === "false";
  for (let e = root.isConnected ? root : document.body; e; e = e.parentElement) {
    const [r, g, b, alpha = 1] = getComputedStyle(e)
      .backgroundColor.match(/[\d.]+/g)
      .map(Number);
    if (alpha > 0.5) return luminance([r, g, b]) < 0.18;
  }
  return false;
}

const PIECE_HUES = [BLUE, ORANGE, RED, PURPLE, VIOLET, GRAY];

// A piece keeps its color for as long as it lives, whatever its neighbors do.
export function hueOfPiece(piece) {
  const hash = [...piece].reduce((h, c) => (h * 31 + c.codePointAt(0)) % 9973, 7);
  return PIECE_HUES[hash % PIECE_HUES.length];
}
