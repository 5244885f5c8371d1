// A play as it is told beside the table.

import { element } from "./elements.js";
import { names } from "./look.js";
import { called } from "./scores.js";
import { play as inWords } from "./words.js";

/** A play in a list. `own`: the seat of whoever looks, or null where several share the screen. */
export function toldItem(play, { labels }, own) {
  return element(
    "li",
    {},
    element("span", { className: "who" }, called(labels[play.seat], play.seat === own)),
    " ",
    element("b", { "aria-label": inWords(play.name, names()), role: "text", lang: names() }, play.name),
  );
}
