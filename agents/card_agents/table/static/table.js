// The page: which part of it is shown follows from its address, so that a reload shows the same.
//
//   #/                                  a new game
//   #/play/0.TOKEN/1.TOKEN              a game, at the seats of these tokens
//   #/replay                            open a file of records
//   #/replay/TOKEN/RECORD/PLAYS/SEAT    a record of a file

import { alarm, element } from "./elements.js";
import { Game } from "./game.js";
import { keep, kept } from "./keeping.js";
import { chooseNames } from "./look.js";
import { Replay, showOpening } from "./replay.js";
import { showSetup } from "./setup.js";

const main = document.getElementById("main");
let shown = null;

function connected(found) {
  const place = document.getElementById("connection");
  const text = found ? "" : "The connection to the table is lost. Nothing is lost with it: this page tries again by itself.";
  if (place.textContent !== text) place.textContent = text;
  place.hidden = found;
}

const seatsIn = (tokens) => Object.entries(tokens).map(([seat, token]) => `${seat}.${token}`).join("/");
const linkOf = (seat, token) => new URL(`#/play/${seat}.${token}`, location.href).href;

const go = {
  play: (tokens) => (location.hash = `#/play/${seatsIn(tokens)}`),
  setup: () => (location.hash = "#/"),
  replay(told, seat) {
    Replay.remember(told);
    location.hash = `#/replay/${told.replay}/0/0/${seat}`;
  },
};

function begun(here, away) {
  const links = Object.fromEntries(Object.entries(away).map(([seat, token]) => [seat, linkOf(seat, token)]));
  const seated = Object.keys(here).length ? here : Object.fromEntries(Object.entries(away).slice(0, 1));
  keep(`links ${seatsIn(seated)}`, links, "sessionStorage");
  go.play(seated);
}

function showPlay(parts) {
  const tokens = Object.fromEntries(parts.map((part) => part.split(".")).filter(([seat, token]) => /^\d+$/.test(seat) && token));
  if (!Object.keys(tokens).length) {
    main.replaceChildren(element("p", {}, "This address names no seat: begin a new game, or open the link of a seat once more."));
    return null;
  }
  const links = kept(`links ${seatsIn(tokens)}`, "sessionStorage") ?? {};
  const game = new Game(main, tokens, links, go, connected);
  game.look();
  return game;
}

function showReplay([replay, record, plays, seat]) {
  const at = { replay, record: Number(record), plays: Number(plays), seat: seat ?? "0" };
  const moved = ({ replay, record, plays, seat }) => history.replaceState(null, "", `#/replay/${replay}/${record}/${plays}/${seat}`);
  return new Replay(main, at, moved, connected);
}

async function show() {
  shown?.close();
  shown = null;
  alarm(null);
  connected(true);
  const [part, ...others] = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean);
  document.body.dataset.part = part ?? "setup";
  try {
    if (part === "play") shown = showPlay(others);
    else if (part === "replay" && others.length >= 3) shown = showReplay(others);
    else if (part === "replay") await showOpening(main, (told) => go.replay(told, "all"));
    else await showSetup(main, begun);
  } catch (fault) {
    alarm(fault.message);
  }
}

chooseNames(() => shown?.look());
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address says what is shown
  main.focus();
});
addEventListener("hashchange", show);
addEventListener("pagehide", () => shown?.close());
addEventListener("pageshow", (event) => event.persisted && show());
show();
