// What every view is made of: elements, buttons, the headline, what is read aloud.

export function el(tag, cls, parent, text) {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text != null) e.textContent = text;
  if (parent) parent.appendChild(e);
  return e;
}

// A sentence that screen readers speak when it changes.
export function liveRegion(parent) {
  const p = el("p", "gx-live", parent);
  p.setAttribute("aria-live", "polite");
  return p;
}

// The headline: what is to be seen, in one sentence, and one thing to try. Its height does not
// change with its words. It is no live region: what liveRegion says tells the same in full.
export function addHeadline(root, tip, act) {
  const box = el("div", "gx-headline", root);
  const finding = el("p", "gx-finding", box);
  const line = el("p", "gx-try", box, "Try: ");
  button(line, tip, act).className = "gx-tip";
  return finding;
}

// What the headline's button says.
export function setTip(finding, tip) {
  finding.nextSibling.lastChild.textContent = tip;
}

// tag: "td", or "th" for the row of headings.
export function tableRow(table, tag, texts, cls = "") {
  const row = el("tr", cls, table);
  for (const text of texts) el(tag, "", row, text);
}

export function button(parent, text, onClick) {
  const b = el("button", "gx-button", parent, text);
  b.type = "button";
  b.addEventListener("click", onClick);
  return b;
}
