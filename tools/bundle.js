// Bundle the scripts of the pages by esbuild, each into one file that imports nothing: every
// explorer, the two workers, the engine's side of a page, and the front page of the book. The
// files are committed, so that nobody needs Node.js to see a view.
//
//     node tools/bundle.js [--check]
//
// --check: write nothing, exit with 1 where a file is not what its modules say.

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const VIZ = "gpt1course/viz";
const PLACES = [`${VIZ}/bundles`, "tools/page/bundles"];
const HEADER = "// Made by tools/bundle.js from the modules beside this folder.";

// An explorer's default export is left in a variable, too: a static page has one script for
// the view and for what shows it (standalone.py).
const VIEW = { globalName: "gpt1View", footer: { js: "export default gpt1View.default;" } };
const ENGINE = { globalName: "gpt1Engine" };

const text = path => readFileSync(join(ROOT, path), "utf8");

function explorers() {
  const folder = `${VIZ}/explorers`;
  const scripts = readdirSync(join(ROOT, folder)).filter(name => name.endsWith(".js"));
  return scripts
    .map(name => `${folder}/${name}`)
    .filter(path => /^export default /m.test(text(path)));
}

const BUNDLES = [
  ...explorers().map(path => [path, `${PLACES[0]}/${basename(path)}`, VIEW]),
  [`${VIZ}/engine/engine.js`, `${PLACES[0]}/engine.js`, ENGINE],
  [`${VIZ}/engine/worker.js`, `${PLACES[0]}/engine_worker.js`],
  [`${VIZ}/engine/train/worker.js`, `${PLACES[0]}/training_worker.js`],
  ["tools/page/front.js", `${PLACES[1]}/front.js`],
];

async function bundled(path, more = {}) {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [path],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    charset: "utf8",
    target: "es2022",
    banner: { js: HEADER },
    logLevel: "error",
    ...more,
  });
  return outputFiles[0].text;
}

// Files in the folders that no bundle writes: of an explorer that is gone.
function leftOver() {
  const wanted = new Set(BUNDLES.map(([, to]) => to));
  const found = PLACES.flatMap(place => {
    mkdirSync(join(ROOT, place), { recursive: true });
    return readdirSync(join(ROOT, place)).map(name => `${place}/${name}`);
  });
  return found.filter(path => !wanted.has(path));
}

function stored(path) {
  try {
    return text(path);
  } catch {
    return null;
  }
}

function write(path, content) {
  writeFileSync(join(ROOT, `${path}.tmp`), content);
  renameSync(join(ROOT, `${path}.tmp`), join(ROOT, path));
}

const check = process.argv.includes("--check");
const wrong = [...leftOver()];
if (!check) for (const path of wrong.splice(0)) rmSync(join(ROOT, path));
for (const [from, to, more] of BUNDLES) {
  const content = await bundled(from, more);
  if (stored(to) === content) continue;
  if (check) wrong.push(to);
  else write(to, content);
}
if (wrong.length) {
  console.error(`${wrong.join(", ")}: not what the modules say, run node tools/bundle.js`);
  process.exitCode = 1;
}
