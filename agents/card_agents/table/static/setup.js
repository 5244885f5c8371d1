// The form in which a game is chosen: which game and rules, and who sits where.

import { ask, choices } from "./asking.js";
import { alarm, button, element, folded } from "./elements.js";
import { keep, kept } from "./keeping.js";
import { spaced } from "./words.js";

const HERE = "here";
const AWAY = "away";

/** Show the form. `begun(here, away)` is called with the tokens of people at this screen and of others, by seat. */
export async function showSetup(place, begun) {
  const { games, players, limits } = await choices();
  const last = kept("setup") ?? {};
  let game = games.find((one) => one.name === last.game) ?? games[0];
  let rules = {};
  let seats = [];

  const rulesPlace = element("div", { className: "rules" });
  const seatsPlace = element("ol", { className: "seats", start: "0" });
  const seed = element("input", { id: "seed", inputmode: "numeric", pattern: "[0-9]*", size: "12", placeholder: "random" });

  function chooseGame(chosen) {
    game = chosen;
    rules = new Map(game.rules.filter((rule) => rule.name !== game.seats.rule).map((rule) => [rule.name, field(rule)]));
    const before = last.game === game.name ? last : {};
    count.disabled = game.seats.rule === null;
    count.replaceChildren(
      ...Array.from({ length: game.seats.most - game.seats.least + 1 }, (_, k) => element("option", {}, String(game.seats.least + k))),
    );
    count.value = String(before.seats?.length ?? game.seats.default);
    rulesPlace.replaceChildren(...[...rules.values()].map((one) => one.shown));
    for (const [name, value] of Object.entries(before.rules ?? {})) rules.get(name)?.put(value);
    chooseSeats(before.seats ?? []);
  }

  function chooseSeats(before) {
    const offered = players.filter((player) => player.games.includes(game.name));
    const usual = offered.find((player) => !player.slow)?.name ?? offered[0]?.name ?? HERE;
    seats = Array.from({ length: Number(count.value) }, (_, seat) =>
      seatRow(seat, offered, before[seat] ?? { who: seat === 0 ? HERE : usual, label: "" }, limits.label),
    );
    seatsPlace.replaceChildren(...seats.map((one) => one.shown));
  }

  const count = element("select", { id: "count", onchange: () => chooseSeats(seats.map((one) => one.value())) });
  const gameChoice = element(
    "fieldset",
    { className: "games" },
    element("legend", {}, "Game"),
    games.map((one) =>
      element(
        "label",
        {},
        element("input", { type: "radio", name: "game", value: one.name, checked: one === game, onchange: () => chooseGame(one) }),
        element("span", {}, one.title),
      ),
    ),
  );
  const begin = element("button", { type: "submit", className: "main" }, "Begin");

  async function submit(event) {
    event.preventDefault();
    alarm(null);
    begin.disabled = true;
    try {
      const sitting = seats.map((one) => one.value());
      const chosen = Object.fromEntries([...rules].map(([name, one]) => [name, one.value()]).filter(([, value]) => value !== null));
      keep("setup", { game: game.name, rules: chosen, seats: sitting });
      const told = await ask("games", {
        body: {
          game: game.name,
          rules: game.seats.rule ? { ...chosen, [game.seats.rule]: sitting.length } : chosen,
          seats: sitting.map(({ who }) => (who === HERE || who === AWAY ? null : who)),
          labels: sitting.map(({ label, who }) => ((who === HERE || who === AWAY) && label.trim() ? label.trim() : null)),
          ...(seed.value.trim() ? { seed: seedOf(seed.value.trim()) } : {}),
        },
      });
      const tokens = Object.entries(told.seats);
      const at = (where) => Object.fromEntries(tokens.filter(([seat]) => sitting[seat].who === where));
      begun(at(HERE), at(AWAY));
    } catch (fault) {
      alarm(fault.message);
    } finally {
      begin.disabled = false;
    }
  }

  place.replaceChildren(
    element(
      "form",
      { className: "setup", onsubmit: submit, novalidate: true, "aria-labelledby": "setup-title" },
      element("h1", { id: "setup-title" }, "New game"),
      gameChoice,
      element("div", { className: "line" }, element("label", { htmlFor: "count" }, "Seats"), count),
      element("fieldset", {}, element("legend", {}, "Who plays"), seatsPlace),
      folded("Rules", rulesPlace, element("div", { className: "line" }, element("label", { htmlFor: "seed" }, "Seed"), seed)),
      element("div", { className: "line" }, begin),
    ),
  );
  chooseGame(game);
}

/** A seed as JSON takes it: numbers that are too large for a script are refused by the server as text. */
function seedOf(text) {
  const number = Number(text);
  return Number.isSafeInteger(number) && /^\d+$/.test(text) ? number : text;
}

/** A line of the form for a seat: who plays there, and the person's name. */
function seatRow(seat, players, before, most) {
  const known = [HERE, AWAY, ...players.map((player) => player.name)];
  const who = element(
    "select",
    { "aria-label": `Who plays in seat ${seat}`, onchange: follow },
    element(
      "optgroup",
      { label: "People" },
      element("option", { value: HERE }, "a person at this screen"),
      element("option", { value: AWAY }, "a person in another window"),
    ),
    element(
      "optgroup",
      { label: "Players" },
      players.map((player) => element("option", { value: player.name }, player.slow ? `${player.name} (thinks)` : player.name)),
    ),
  );
  who.value = known.includes(before.who) ? before.who : HERE;
  const label = element("input", { "aria-label": `Name of the person in seat ${seat}`, placeholder: "name", maxlength: String(most), value: before.label });
  const does = element("small", {});

  function follow() {
    const player = players.find((one) => one.name === who.value);
    label.hidden = player !== undefined;
    does.hidden = player === undefined;
    does.textContent = player?.sentence ?? "";
  }

  follow();
  return { shown: element("li", {}, who, label, does), value: () => ({ who: who.value, label: label.value }) };
}

/** A rule's place in the form: `shown`, `value()` (null: as the rules have it) and `put(value)`. */
function field(rule) {
  const id = `rule-${rule.name}`;
  const about = { id, "aria-describedby": `${id}-what` };
  const usual = rule.default === null || rule.default === undefined;
  let input, value;
  let put = (given) => (input.value = Array.isArray(given) ? given.join(" ") : String(given));
  if (rule.kind === "flag" && !usual) {
    input = element("input", { ...about, type: "checkbox", checked: rule.default });
    value = () => input.checked;
    put = (given) => (input.checked = given);
  } else if (rule.kind === "flag" || rule.kind === "choice") {
    const known = rule.kind === "flag" ? [true, false] : rule.choices;
    input = element("select", about, usual ? element("option", { value: "" }, "as usual") : null, known.map((one) => element("option", { value: String(one) }, spaced(String(one)))));
    value = () => known.find((one) => String(one) === input.value) ?? null;
  } else if (rule.kind === "whole") {
    input = element("input", { ...about, inputmode: "numeric", size: "8", placeholder: "as usual" });
    value = () => numberOf(input.value);
  } else {
    input = element("input", { ...about, placeholder: "as usual" });
    const several = rule.kind === "numbers";
    value = () => (several ? (input.value.trim() ? input.value.trim().split(/[\s,]+/).map(numberOf) : null) : rule.kind === "number" ? numberOf(input.value) : input.value || null);
  }
  if (!usual) put(rule.default);
  const shown = element(
    "div",
    { className: `rule ${rule.kind}` },
    element("label", { htmlFor: id }, spaced(rule.name)),
    input,
    element("small", { id: `${id}-what` }, rule.sentence),
  );
  return { shown, value, put };
}

/** A text as a number, null if it is empty; what is no number stays, so that the server says what is wrong with it. */
function numberOf(text) {
  const trimmed = String(text).trim();
  return trimmed === "" ? null : Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
}
