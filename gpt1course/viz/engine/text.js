// Text before BPE, as gpt1lib/text.py has it: punctuation made uniform, cut into words.

// Python's white space and word characters; \s, \w and \b of JavaScript are others.
const SPACE = [
  "\\t\\n\\v\\f\\r\\x1c-\\x20\\x85\\xa0", // of one byte, or of Latin-1
  "\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000",
].join("");
const LETTER = "\\p{L}\\p{N}"; // without the underscore, Python's [^\W_]
const WORD_END = `(?![${LETTER}_])`; // \b after a letter

const ASCII = new Map([
  ..."—–―".split("").map(dash => [dash, "-"]),
  ..."“”„‟".split("").map(quote => [quote, '"']),
  ..."‘’‚‛ʼ´".split("").map(quote => [quote, "'"]),
  ["…", "..."],
]);
const SPECIAL = /[—–―…´“”„‟‘’‚‛ʼ]/g;
const PADDED = /([-~!";?+,)(/*[\]}{|_])\1*/g; // a run of one character
const BLANKS = new RegExp(`[${SPACE.replace("\\n", "")}]+`, "g");
const LINE_END = new RegExp(` ?\\n[${SPACE}]*`, "g");
const EDGES = new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, "g");

// Letters in any case, as Python's IGNORECASE has them; none of ours but s has a third form.
// The flag i folds U+0345, a mark, onto iota, and would count it as a letter.
const anyCase = words =>
  words.replace(/[a-z]/g, c => `[${c}${c.toUpperCase()}${c === "s" ? "ſ" : ""}]`);
const TITLES = anyCase("mr|mrs|ms|dr|st|jr|sr|vs|co|no|rev|capt|col|gen|lt|messrs|prof|etc");
const NOT = anyCase("n't");
const ENDING = "(?:s|m|re|ve|ll|d)";
const SUFFIX = `${anyCase(ENDING)}${WORD_END}`;
const WORD = new RegExp(
  [
    "\\n", // the end of a paragraph
    `(?:${TITLES})\\.${WORD_END}`,
    `[${LETTER}_]\\.(?:[${LETTER}_]\\.)+`, // i.e.  U.S.A.  a.m.
    `${anyCase("can")}(?=${anyCase("not")}${WORD_END})`, // cannot: can, not
    `[${LETTER}]+?(?=${NOT}${WORD_END})|${NOT}${WORD_END}`, // do n't
    `'${SUFFIX}`, // 's  'll
    "\\p{Nd}+(?:[.,:]\\p{Nd}+)*", // 3.50  10:30
    `[${LETTER}]+(?:[.@][${LETTER}]+)*(?:'(?!${SUFFIX})[${LETTER}]+)?`, // words, O'Brien
    "\\.{2,}", // ...
    `[^${LETTER}_${SPACE}]|_`, // one character
  ].join("|"),
  "gu",
);

export function standardize(raw) {
  return raw
    .replace(SPECIAL, c => ASCII.get(c))
    .replace(PADDED, " $& ")
    .replace(BLANKS, " ")
    .replace(LINE_END, " \n ")
    .replace(EDGES, "");
}

export function splitWords(text) {
  return text.match(WORD) ?? [];
}

// ---- back to text for the eye (text.py, tidy)

const CLITIC = `(?:n't|'${ENDING})${WORD_END}`;
const GLUE_LEFT = new RegExp(` ([.,;:!?)\\]%]|\\.\\.\\.|${CLITIC})`, "gu");
const GLUE_RIGHT = /([([$£]) /g;

// Decoded tokens as a reader expects them: no space before a comma, quotes in pairs.
export function tidy(text) {
  const glued = text.replace(GLUE_LEFT, "$1").replace(GLUE_RIGHT, "$1");
  const lines = glued.split("\n").map(line => pairQuotes(line.replace(EDGES, "")));
  return lines.join("\n");
}

// Odd parts stand inside quotes.
function pairQuotes(line) {
  const [first, ...parts] = line.split('"').map(part => part.replace(EDGES, ""));
  let out = first;
  parts.forEach((part, i) => {
    const opens = i % 2 === 0;
    const before = opens && out ? " " : "";
    const after = !opens && part && !/^[.,;:!?]/.test(part) ? " " : "";
    out += `${before}"${after}${part}`;
  });
  return out.replace(EDGES, "");
}
