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

const SUFFIX = `(?:s|m|re|ve|ll|d)${WORD_END}`;
const WORD = new RegExp(
  [
    "\\n", // the end of a paragraph
    `(?:mr|mrs|ms|dr|st|jr|sr|vs|co|no|rev|capt|col|gen|lt|messrs|prof|etc)\\.${WORD_END}`,
    `[${LETTER}_]\\.(?:[${LETTER}_]\\.)+`, // i.e.  U.S.A.  a.m.
    `can(?=not${WORD_END})`, // cannot: can, not
    `[${LETTER}]+?(?=n't${WORD_END})|n't${WORD_END}`, // do n't
    `'${SUFFIX}`, // 's  'll
    "\\p{Nd}+(?:[.,:]\\p{Nd}+)*", // 3.50  10:30
    `[${LETTER}]+(?:[.@][${LETTER}]+)*(?:'(?!${SUFFIX})[${LETTER}]+)?`, // words, O'Brien
    "\\.{2,}", // ...
    `[^${LETTER}_${SPACE}]|_`, // one character
  ].join("|"),
  "giu",
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

const GLUE_LEFT = new RegExp(` ([.,;:!?)\\]%]|\\.\\.\\.|n't${WORD_END}|'${SUFFIX})`, "gu");
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
