// From one zoom to another without a jump: the row or the cell that is opened grows until it
// fills the stage, while what is in it unfolds; on the way back it folds up again.

import { DEPTHS } from "./model_map.zooms.js";

const FLIGHT = { duration: 420, easing: "cubic-bezier(.4, 0, .2, 1)" };

// act draws the other zoom; before: the zoom that is left. Where motion is unwanted, only that.
export function glide(view, before, act) {
  const { stage, plate: seen } = view;
  const moves = !matchMedia("(prefers-reduced-motion: reduce)").matches && view.geo;
  if (!moves || before === view.zoom) return act();
  const deeper = DEPTHS.indexOf(view.zoom) > DEPTHS.indexOf(before);
  const from = deeper && spotOf(view, before);
  view.addPlate();
  view.fresh = true;
  act();
  seen.classList.add("gx-map-seen");
  const plate = view.plate;
  const spot = from || spotOf(view, view.zoom);
  const full = { w: stage.clientWidth, h: view.geo.H };
  const [opened, closed] = deeper ? [plate, seen] : [seen, plate];
  const unfold = [
    { transform: into(spot, full), opacity: 0 },
    { transform: "none", opacity: 1 },
  ];
  const grow = [
    { transform: "none", opacity: 1 },
    { transform: outOf(spot, full), opacity: 0 },
  ];
  const ways = deeper ? [unfold, grow] : [unfold.reverse(), grow.reverse()];
  [opened, closed].forEach((e, i) => {
    e.style.transformOrigin = "0 0";
    const flight = e.animate(ways[i], FLIGHT);
    if (e === seen) flight.onfinish = flight.oncancel = () => seen.remove();
  });
}

// The whole, as small as the spot, and where that is; and so large that the spot is the whole.
const into = ({ x, y, w, h }, full) =>
  `translate(${x}px, ${y}px) scale(${w / full.w}, ${h / full.h})`;
const outOf = ({ x, y, w, h }, full) =>
  `scale(${full.w / w}, ${full.h / h}) translate(${-x}px, ${-y}px)`;

// Where the next deeper zoom lies in this one, as it is drawn now.
function spotOf({ geo, stage, block, head, place, other }, zoom) {
  const shift = geo.gutter - stage.scrollLeft;
  if (zoom === "head") {
    const { boxes, cell, top } = geo;
    return {
      x: boxes.scores.x + other * cell + shift,
      y: top + place * cell,
      w: cell,
      h: cell,
    };
  }
  const { top, tall } = geo.stations[zoom === "model" ? 4 + block : 2 + head];
  return { x: geo.gutter, y: top, w: stage.clientWidth - geo.gutter, h: tall };
}
