// What a player thinks of each play, beside the table.

import { Unanswered, ask, choices } from "./asking.js";
import { button, element } from "./elements.js";
import { keep, kept } from "./keeping.js";
import { names } from "./look.js";
import { play as inWords, signed } from "./words.js";

const COLUMNS = {
  probability: ["Plays it", (value) => `${(100 * value).toFixed(0)} %`],
  value: ["Worth", (value) => signed(value, 2)],
  spread: ["±", (value) => value.toFixed(2)],
  visits: ["Visits", (value) => value.toFixed(0)],
  exact: ["Exactly", (value) => signed(value, 2)],
};

/** The judgement of a player as a table. */
export function judgementTable({ player, rows }) {
  const known = Object.keys(COLUMNS).filter((name) => rows.some((row) => row[name] !== null && row[name] !== undefined));
  const best = [...rows].sort((one, other) => order(other) - order(one) || Number(other.chosen) - Number(one.chosen));
  return element(
    "table",
    { className: "judgement" },
    element("caption", {}, `What ${player} knows`),
    element("thead", {}, element("tr", {}, ["Play", ...known.map((name) => COLUMNS[name][0])].map((name) => element("th", { scope: "col" }, name)))),
    element(
      "tbody",
      {},
      best.map((row) =>
        element(
          "tr",
          { className: row.chosen ? "chosen" : "" },
          element("th", { scope: "row" }, element("span", { "aria-label": inWords(row.name, names()), role: "text", lang: names() }, row.name), row.chosen ? element("span", { className: "mark" }, " its choice") : null),
          known.map((name) => element("td", {}, row[name] === null || row[name] === undefined ? "" : COLUMNS[name][1](row[name]))),
        ),
      ),
    ),
  );
}

function order(row) {
  return row.exact ?? row.value ?? row.probability ?? row.visits ?? 0;
}

/** The choice of a player and a button to ask it. `pressed(player)` is called; `game` says which players there are. */
export function playerChoice(text, pressed) {
  const select = element("select", { "aria-label": "Player to ask" });
  const press = button(text, () => {
    keep("hint", select.value);
    pressed(select.value);
  });
  async function offer(game) {
    if (select.dataset.game === game) return;
    select.dataset.game = game;
    const { players } = await choices();
    const offered = players.filter((player) => player.games.includes(game));
    select.replaceChildren(...offered.map((player) => element("option", { value: player.name }, player.slow ? `${player.name} (thinks)` : player.name)));
    const before = kept("hint");
    if (offered.some((player) => player.name === before)) select.value = before;
  }
  return { shown: element("div", { className: "line" }, select, press), press, offer };
}

/** Hints at a seat of a game. */
export class Hints {
  constructor(game) {
    this.game = game;
    this.svg = null;
    this.choice = playerChoice("Hint", (player) => this.#ask(player));
    this.found = element("div", { "aria-live": "polite" });
    this.shown = element("section", { className: "hints" }, element("h2", {}, "Hint"), this.choice.shown, this.found);
  }

  /** Show that a hint can be asked for, or not. */
  update(position, onTurn) {
    this.choice.offer(position.public.game);
    this.choice.press.disabled = !onTurn || this.asking !== undefined;
  }

  /** Forget what was found: the game has moved on. */
  clear() {
    this.svg = null;
    this.asking?.abort();
    this.asking = undefined;
    this.found.replaceChildren();
  }

  async #ask(player) {
    this.clear();
    const asking = (this.asking = new AbortController());
    this.choice.press.disabled = true;
    this.found.replaceChildren(element("p", { className: "busy" }, `${player} thinks …`));
    try {
      const told = await ask(this.game.shaped(`seats/${this.game.token}/hint`, { player }), { signal: asking.signal });
      if (this.asking !== asking) return;
      this.svg = told.svg;
      this.found.replaceChildren(judgementTable({ player, ...told }));
    } catch (fault) {
      if (fault.name === "AbortError" || this.asking !== asking) return;
      this.found.replaceChildren(element("p", { className: "fault" }, fault instanceof Unanswered ? `${fault.message} Ask again.` : fault.message));
    }
    this.asking = undefined;
    this.game.render();
  }
}
