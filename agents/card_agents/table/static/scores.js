// Who sits where, and who has won how much.

import { element } from "./elements.js";

const UNNAMED = /^person( \(\d+\))?$/;

const some = (numbers) => (numbers ?? []).some((number) => number !== 0);

function table(caption, columns, rows) {
  return element(
    "table",
    { className: "scores" },
    element("caption", { className: "unseen" }, caption),
    element("thead", {}, element("tr", {}, columns.map((name) => element("th", { scope: "col" }, name)))),
    element(
      "tbody",
      {},
      rows.map(({ className, cells: [first, ...others] }) =>
        element("tr", { className }, element("th", { scope: "row" }, first), others.map((cell) => element("td", {}, String(cell)))),
      ),
    ),
  );
}

/** The seats, with the score of the match and the points of this sitting where there are any. `here`: seats at this
 * screen. */
export function scores(position, here) {
  const { labels, seats, totals, to_play } = position;
  const match = position.public.scores;
  const columns = [["Score", match], ["Points", totals]].filter(([name, numbers]) => name === "Points" || some(numbers));
  return table(
    "Seats and scores",
    ["Seat", "Who", ...columns.map(([name]) => name)],
    labels.map((label, seat) => ({
      className: seat === to_play ? "turn" : "",
      cells: [seat, who(label, seats[seat], here.length === 1 && here[0] === seat), ...columns.map(([, numbers]) => numbers[seat])],
    })),
  );
}

/** The name of a person, or null for whoever has given none. */
export function nameOf(label) {
  return UNNAMED.test(label) ? null : label;
}

/** What somebody is called. `own`: whether it is whoever looks; a person without a name is then "you". */
export function called(label, own) {
  return own ? (nameOf(label) ?? "you") : label;
}

function who(label, player, own) {
  if (own) return nameOf(label) === null ? "you" : `${label} (you)`;
  return player === null || label.startsWith(player) ? label : `${label} (${player})`;
}

/** The results of a game that is over. `own`: the seat of whoever looks, or null. */
export function results({ labels, results: told, totals }, own) {
  const columns = [["Points", told.points], ["Score", told.scores], ["Settlement", told.settlement], ["Total", totals]].filter(
    ([name, numbers], k) => k === 0 || (some(numbers) && (name !== "Total" || String(numbers) !== String(told.points))),
  );
  return [
    element("h2", { id: "end-title" }, verdict(labels, some(told.scores) ? told.scores : told.points, own)),
    table(
      "Results",
      ["Seat", "Who", ...columns.map(([name]) => name)],
      labels.map((label, seat) => ({ className: "", cells: [seat, called(label, seat === own), ...columns.map(([, numbers]) => numbers[seat])] })),
    ),
  ];
}

function verdict(labels, numbers, own) {
  const best = Math.max(...numbers);
  const winners = labels.map((_, seat) => seat).filter((seat) => numbers[seat] === best);
  if (winners.length === labels.length) return "All are level.";
  const named = winners.map((seat) => (seat === own ? "you" : labels[seat]));
  if (winners.length === 1) return own === winners[0] ? "You win." : `${named[0]} wins.`;
  return `${named.slice(0, -1).join(", ")} and ${named.at(-1)} share the win.`;
}
