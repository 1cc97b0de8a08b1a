// One query: dot products with its keys, scores, weights, and the mix of the values. The same
// as query_steps in query.py.

import { probsOf } from "../engine/sample.js";
import { sum } from "./common.words.js";

// extra: what further numbers of query and key add to each dot product; divisor: of the scores.
export function steps({ keys, values }, [x, y], extra, divisor) {
  const raw = keys.map((k, i) => x * k[0] + y * k[1] + (extra[i] ?? 0));
  const scores = raw.map(v => v / divisor);
  const weights = [...probsOf(scores)];
  const mix = [0, 1].map(d => sum(weights.map((w, i) => w * values[i][d])));
  return { raw, scores, weights, mix, best: weights.indexOf(Math.max(...weights)) };
}
