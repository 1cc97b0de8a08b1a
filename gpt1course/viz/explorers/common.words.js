// Words and numbers as a reader sees them.

// A field of one line can't contain it.
export const isLineBreak = piece => piece === "\n</w>" || piece === "\n";

export function readable(piece) {
  if (isLineBreak(piece)) return "⏎";
  return piece.endsWith("</w>") && piece.length > 4 ? piece.slice(0, -4) : piece;
}

// Repeated tokens get their position.
export function labels(tokens) {
  const names = tokens.map(readable);
  const count = {};
  for (const name of names) count[name] = (count[name] || 0) + 1;
  return names.map((name, i) => (count[name] > 1 ? `${name} (${i})` : name));
}

// A piece alone, where its place in a text does not tell whether its word goes on.
export const named = piece => readable(piece) + (/<\/w>$|^<.*>$|^\n$/.test(piece) ? "" : "·");

// 38.1%, 4.0%, 0.25%, <0.1%; 0% and 100% only where it is so.
export function percent(p) {
  if (p > 1e-9 && p < 0.001) return "<0.1%";
  if (p >= 0.9995 && p < 1 - 1e-9) return ">99.9%";
  return exactly(p, p < 0.01 ? 2 : 1);
}

// The same in whole percents.
export function rounded(p) {
  if (p > 1e-9 && p < 0.005) return "<1%";
  if (p >= 0.995 && p < 1 - 1e-9) return ">99%";
  return exactly(p, 0);
}

export function exactly(p, digits) {
  const ends = p <= 1e-9 || p >= 1 - 1e-9;
  return `${(100 * p).toFixed(ends ? 0 : digits)}%`;
}

export const headName = ({ H }, head) => `block ${Math.floor(head / H)}, head ${head % H}`;
export const capital = text => text[0].toUpperCase() + text.slice(1);
export const plural = (n, word) => `${commas(n)} ${word}${n === 1 ? "" : "s"}`;
export const commas = n => n.toLocaleString("en");
export const sum = values => values.reduce((a, b) => a + b, 0);
export const lengthOf = values => Math.sqrt(values.reduce((total, v) => total + v * v, 0));
export const inPoints = share => (100 * share).toFixed(1);
// A real minus sign; a number that is rounded to 0 has none.
export const minus = text => {
  const isZero = /^-0(\.0*)?$/.test(text);
  return String(text).replace("-", isZero ? "" : "−");
};
// An entropy in words: how many equal chances have the same.
export const evenly = bits => {
  const n = 2 ** bits;
  return `like an even choice among ${n < 100 ? n.toFixed(1) : commas(Math.round(n))}`;
};
export const bitsOf = p => (p > 0 ? -p * Math.log2(p) : 0); // what p adds to an entropy
