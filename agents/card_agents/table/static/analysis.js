// What each play of a game gave away, by the values of a player: beside a record.

import { element, button } from "./elements.js";
import { names } from "./look.js";
import { play as inWords } from "./words.js";

const BASES = { exact: "exactly", judge: "its opinion" };

/** The analysis of a record as a table and the worst plays. `go(number)` is called for a play that is to be shown. */
export function analysis({ judge, seats, plays }, go) {
  const worst = seats.flatMap((seat) => seat.worst).map((number) => plays.find((play) => play.number === number));
  worst.sort((one, other) => other.regret - one.regret || one.number - other.number);
  return [
    element(
      "table",
      { className: "analysis" },
      element("caption", {}, `Points given away, by ${judge}`),
      element("thead", {}, element("tr", {}, ["Seat", "In all", "Exactly", "Choices"].map((name) => element("th", { scope: "col" }, name)))),
      element(
        "tbody",
        {},
        seats.map((one) =>
          element(
            "tr",
            {},
            element("th", { scope: "row" }, one.player ? `${one.seat} ${one.player}` : String(one.seat)),
            [one.total.toFixed(2), one.exact.toFixed(2), one.judged === one.decisions ? one.decisions : `${one.judged} of ${one.decisions}`].map((text) => element("td", {}, String(text))),
          ),
        ),
      ),
    ),
    worst.length ? element("ol", { className: "worst", "aria-label": "The worst plays" }, worst.map((play) => element("li", {}, fault(play, go)))) : element("p", {}, "No play was worse than another."),
    element("small", {}, `Where the cards could be worked out, the loss is exact; elsewhere it is the opinion of ${judge}, and small ones mean little.`),
  ];
}

function fault(play, go) {
  const made = `Play ${play.number + 1}, seat ${play.seat}`;
  const range = play.basis === "judge" && play.low !== null ? ` (${play.low.toFixed(2)} to ${play.high.toFixed(2)})` : "";
  const lost = `${play.regret.toFixed(2)}${range}, ${BASES[play.basis]}`;
  return button(`${made}: ${play.action}, better ${play.best}: ${lost}`, () => go(play.number), {
    "aria-label": `${made}: ${inWords(play.action, names())}, better ${inWords(play.best, names())}: ${lost}`,
  });
}
