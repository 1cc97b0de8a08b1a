// What a reader keeps.

import { el } from "./common.elements.js";

// The browser saves this content, a Blob, as a file of this name.
export function download(name, content) {
  const link = el("a", "", null);
  link.download = name;
  link.href = URL.createObjectURL(content);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // once it has been read
}
