// Assemble the engine's WebAssembly from its text, with wabt: linear.wat multiplies in the
// forward pass of a stored model, train/products.wat where a model is trained.
//
//     node tools/kernel.js [--check]
//
// --check: write nothing, exit with 1 where a .wasm is not what its .wat says.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import assembler from "wabt";

const KERNELS = ["linear", "train/products"];

const place = name =>
  fileURLToPath(new URL(`../gpt1course/viz/engine/${name}`, import.meta.url));

const wabt = await assembler();

function assembled(name) {
  const module = wabt.parseWat(`${name}.wat`, readFileSync(place(`${name}.wat`), "utf8"), {
    simd: true,
  });
  module.resolveNames();
  module.validate();
  return Buffer.from(module.toBinary({}).buffer);
}

for (const name of KERNELS) {
  const [bytes, file] = [assembled(name), `${name}.wasm`];
  if (!process.argv.includes("--check")) {
    writeFileSync(place(`${file}.tmp`), bytes);
    renameSync(place(`${file}.tmp`), place(file));
  } else if (!bytes.equals(readFileSync(place(file)))) {
    console.error(`${file} is not what ${name}.wat says: run node tools/kernel.js`);
    process.exitCode = 1;
  }
}
