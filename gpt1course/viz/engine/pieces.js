// The symbols of byte-pair encoding, for the engine and for the pages' explorers.

// The characters of a word; the last one carries its end: "cat" -> ["c", "a", "t</w>"].
export function characters(word) {
  const symbols = [...word];
  symbols[symbols.length - 1] += "</w>";
  return symbols;
}

// Every left that a right follows becomes one symbol with it, left to right.
export function merge(symbols, left, right) {
  const merged = [];
  for (let i = 0; i < symbols.length; i++) {
    const joins = symbols[i] === left && symbols[i + 1] === right;
    merged.push(joins ? left + symbols[++i] : symbols[i]);
  }
  return merged;
}
