// How things are to look: the language of the names of cards, and the width of pictures.

import { keep, kept } from "./keeping.js";

const LEAST = 320;
const MOST = 1200;

/** The language of the names of cards that has been chosen. */
export function names() {
  return document.getElementById("names").value;
}

/** Let the language be chosen; `changed` is called when it is another one. */
export function chooseNames(changed) {
  const choice = document.getElementById("names");
  const before = kept("names");
  if ([...choice.options].some((option) => option.value === before)) choice.value = before;
  choice.addEventListener("change", () => {
    keep("names", choice.value);
    changed();
  });
}

/** The width in pixels of a picture that fits an element of the page. */
export function widthFor(place) {
  const room = place.clientWidth || document.documentElement.clientWidth;
  return Math.round(Math.min(Math.max(room, LEAST), MOST));
}
