// Several people at one table: links for those in other windows, and the cover for those who share a screen.

import { button, element, refill } from "./elements.js";
import { nameOf } from "./scores.js";
import { toldItem } from "./told.js";

/** The addresses of the seats of people in other windows, to be sent to them; null where there are none. */
export function linksPanel(links) {
  const seats = Object.entries(links);
  if (!seats.length) return null;
  return element(
    "section",
    { className: "links" },
    element("h2", {}, "Links for the others"),
    element("p", {}, "Whoever opens a link sits in that seat: send each to one person only."),
    seats.map(([seat, link]) => {
      const address = element("input", {
        readonly: true,
        value: link,
        "aria-label": `Link of seat ${seat}`,
        onfocus: () => address.select(),
      });
      const copy = button("Copy", async () => {
        try {
          await navigator.clipboard.writeText(link);
          copy.textContent = "Copied";
        } catch {
          address.focus(); // a page that may not copy: the link is selected to be copied by hand
        }
      });
      return element("div", { className: "line" }, element("span", {}, `Seat ${seat}`), address, copy);
    }),
  );
}

/**
 * Fill the cover that lies over the hand of a seat until its person is ready.
 *
 * `uncover`: called when they are; `undo`: takes the last play of the seat `own` back, or null where it cannot be.
 */
export function fillCover(cover, position, seat, { uncover, undo, own }) {
  const { labels, to_play, told } = position;
  const named = nameOf(labels[seat]);
  const name = named ?? `seat ${seat}`;
  const first = to_play === seat ? `Seat ${seat} is to play.` : `${labels[to_play]} plays first.`;
  refill(
    cover,
    element("h2", { id: "cover-title" }, `Pass the screen to ${name}`),
    element("p", {}, `${first} The hand stays covered until then.`),
    element(
      "ol",
      { className: "lately", "aria-label": "Played last" },
      told.slice(-labels.length).map((play) => toldItem(play, position, null)),
    ),
    button(named ? `I am ${named}: show my hand` : `Show the hand of seat ${seat}`, uncover, { className: "main", "data-key": "uncover" }),
    undo && button(`${labels[own]}: take back`, undo, { className: "quiet", "data-key": "undo" }),
  );
  if (document.activeElement === document.body) cover.querySelector(".main").focus({ preventScroll: true });
}
