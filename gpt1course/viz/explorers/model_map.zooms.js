// The four zooms of the map, from the whole model to one score, and how keys lead through them.

export const DEPTHS = ["model", "block", "head", "cell"];
export const KEYS =
  "A click or Enter zooms in, Escape zooms out. Arrows move; with Shift they read number by " +
  "number. X switches a head off. Space takes the next step of the walk.";

// The station that a zoom opens on; a cell has none.
export function firstStation({ zoom, L, head }) {
  return { model: L + 5, block: 2 + head, head: "scores" }[zoom];
}
