// Assemble gpt1course/viz/engine/linear.wat into linear.wasm, with wabt.
//
//     node tools/kernel.js [--check]
//
// --check: write nothing, exit with 1 where linear.wasm is not what linear.wat says.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import assembler from "wabt";

const place = name =>
  fileURLToPath(new URL(`../gpt1course/viz/engine/${name}`, import.meta.url));

const wabt = await assembler();
const module = wabt.parseWat("linear.wat", readFileSync(place("linear.wat"), "utf8"), {
  simd: true,
});
module.resolveNames();
module.validate();
const bytes = Buffer.from(module.toBinary({}).buffer);

if (process.argv.includes("--check")) {
  if (!bytes.equals(readFileSync(place("linear.wasm")))) {
    console.error("linear.wasm is not what linear.wat says: run node tools/kernel.js");
    process.exitCode = 1;
  }
} else {
  writeFileSync(place("linear.wasm.tmp"), bytes);
  renameSync(place("linear.wasm.tmp"), place("linear.wasm"));
}
