// Looking through records play by play: of a file, or of a game that has just ended.

import { Refused, ask, choices, query } from "./asking.js";
import { alarm, button, element, folded, picture, refill, say } from "./elements.js";
import { judgementTable, playerChoice } from "./hints.js";
import { keep, kept } from "./keeping.js";
import { names, widthFor } from "./look.js";
import { play as inWords } from "./words.js";

const PACE = 1200;

/** The form that takes a file of records. `opened(answer of the server)` is called when one has been read. */
export async function showOpening(place, opened) {
  const { limits } = await choices();

  async function read(file) {
    alarm(null);
    if (file.size > limits.file) {
      alarm(`${file.name} has ${file.size} bytes, and files of at most ${limits.file} are taken: split it, or use card-envs watch.`);
      return;
    }
    try {
      opened(await ask("replays", { text: file }));
    } catch (fault) {
      alarm(fault.message);
    }
  }

  const input = element("input", { id: "file", type: "file", accept: ".jsonl,.json,.txt", onchange: () => input.files[0] && read(input.files[0]) });
  const drop = element(
    "div",
    {
      className: "drop",
      ondragover: (event) => event.preventDefault(),
      ondrop: (event) => {
        event.preventDefault();
        if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0]);
      },
    },
    element("label", { htmlFor: "file" }, "A file of records, one a line"),
    input,
    element("small", {}, "Games played here are saved as such files, and so are those of tournaments (--save-games). Drop a file here, or choose one."),
  );
  place.replaceChildren(element("section", { className: "opening" }, element("h1", {}, "Look through a record"), drop));
}

/** A file of records in view. `at`: {replay, record, plays, seat}; `moved(at)` is called when it changes. */
export class Replay {
  constructor(place, at, moved, connected) {
    Object.assign(this, { place, at, moved, connected });
    this.records = kept(`replay ${at.replay}`, "sessionStorage");
    this.over = new AbortController();
    this.asked = 0;
    this.#build();
    document.addEventListener("keydown", (event) => this.#key(event), { signal: this.over.signal });
    this.#show();
  }

  /** Keep what the server has told about a file when it was opened. */
  static remember(told) {
    keep(`replay ${told.replay}`, told.records, "sessionStorage");
  }

  close() {
    this.over.abort();
    this.#pause();
  }

  #build() {
    this.status = element("p", { className: "status", role: "status" });
    this.frame = element("div", { className: "frame" });
    this.board = element("div", { className: "board" }, this.frame);
    this.note = element("p", { className: "note" });
    this.slider = element("input", { type: "range", min: "0", max: "0", value: "0", "aria-label": "Play", oninput: () => this.#go(Number(this.slider.value)) });
    const buttons = [
      ["first", "|◀", "To the beginning", () => this.#go(0)],
      ["back", "◀", "One play back", () => this.#go(this.at.plays - 1)],
      ["run", "▶▶", "Go through it", () => this.#run()],
      ["on", "▶", "One play on", () => this.#go(this.at.plays + 1)],
      ["last", "▶|", "To the end", () => this.#go(this.length)],
    ].map(([key, sign, name, press]) => [key, button(sign, press, { "aria-label": name, title: name, "data-key": key })]);
    this.buttons = Object.fromEntries(buttons);
    this.seats = element("select", { "aria-label": "Whose cards are open", onchange: () => this.#turn({ seat: this.seats.value }) });
    this.list = element("select", { "aria-label": "Record", onchange: () => this.#turn({ record: Number(this.list.value), plays: 0 }) });
    this.list.replaceChildren(...(this.records ?? []).map((one, k) => element("option", { value: String(k) }, `${k + 1}. ${one.title}, ${one.plays} plays`)));
    this.list.hidden = (this.records?.length ?? 0) < 2;
    this.history = element("ol", { className: "log" });
    this.words = element("pre", { className: "words" });
    this.choice = playerChoice("Judge", (player) => this.#judge(player));
    this.found = element("div", { "aria-live": "polite" });
    this.place.replaceChildren(
      element(
        "div",
        { className: "game replay" },
        element(
          "div",
          { className: "play" },
          element("h1", { className: "unseen" }, "A record"),
          this.list,
          this.status,
          this.board,
          this.note,
          element("div", { className: "player" }, this.slider, element("div", { className: "steps" }, Object.values(this.buttons), this.seats)),
          element("small", {}, "Keys: ← → one play, Home and End, Space goes through it."),
        ),
        element(
          "aside",
          { "aria-label": "Beside the table" },
          element("section", { className: "hints" }, element("h2", {}, "Judgement"), this.choice.shown, this.found),
          element("section", {}, element("h2", {}, "Plays"), this.history),
          folded("The position in words", this.words),
        ),
      ),
    );
  }

  get length() {
    return this.told?.history.length ?? 0;
  }

  #address() {
    const { replay, record, plays } = this.at;
    return `replays/${replay}/${record}/${plays}`;
  }

  #turn(to) {
    this.#pause();
    this.#step(to);
  }

  #go(plays) {
    this.#turn({ plays: Math.max(0, Math.min(plays, this.length)) });
  }

  #step(to) {
    Object.assign(this.at, to);
    this.moved(this.at);
    this.#show();
  }

  /** Ask for the position again, in other words perhaps. */
  look() {
    this.#show();
  }

  async #show() {
    const number = ++this.asked;
    this.judging?.abort();
    this.found.replaceChildren();
    try {
      const told = await ask(query(this.#address(), { seat: this.at.seat, names: names(), width: widthFor(this.frame) }), { signal: this.over.signal });
      this.connected(true);
      if (number === this.asked) this.#take(told);
    } catch (fault) {
      if (fault.name === "AbortError") return;
      this.#pause();
      if (fault instanceof Refused) alarm(fault.message);
      else {
        this.connected(false);
        setTimeout(() => !this.over.signal.aborted && number === this.asked && this.#show(), PACE);
      }
    }
  }

  #take(told) {
    const first = this.told === undefined;
    this.told = told;
    const { plays } = this.at;
    const drawn = picture(told.svg);
    this.frame.replaceChildren(drawn);
    const { width, height } = drawn.viewBox.baseVal;
    this.board.style.setProperty("--shape", width / height);
    drawn.querySelector("desc")?.replaceChildren(told.text);
    this.words.textContent = told.text;
    this.slider.max = String(this.length);
    this.slider.value = String(plays);
    this.slider.setAttribute("aria-valuetext", `${plays} of ${this.length}`);
    const last = told.history[plays - 1];
    const players = told.labels;
    const name = (seat) => (players[seat] ? `${players[seat]}, seat ${seat}` : `Seat ${seat}`);
    this.status.textContent = `${plays} of ${this.length}${last ? ` · ${name(last[0])}: ${last[1]}` : ""}${told.over ? " · over" : ""}`;
    if (!first && last) say(`${name(last[0])}: ${inWords(last[1], names())}`, names());
    this.note.textContent = last?.[2] ?? "";
    this.#fillSeats(told, players);
    this.#fillHistory(told.history, players);
    this.buttons.first.disabled = this.buttons.back.disabled = plays === 0;
    this.buttons.on.disabled = this.buttons.last.disabled = this.buttons.run.disabled = plays === this.length;
    this.choice.press.disabled = told.over;
    this.choice.offer(told.game);
  }

  #fillSeats(told, players) {
    const count = players.length;
    if (this.seats.childElementCount !== count + 1) {
      this.seats.replaceChildren(
        element("option", { value: "all" }, "all cards open"),
        ...Array.from({ length: count }, (_, seat) => element("option", { value: String(seat) }, players[seat] ? `seat ${seat}, ${players[seat]}` : `seat ${seat}`)),
      );
    }
    this.seats.value = String(this.at.seat);
  }

  #fillHistory(history, players) {
    if (this.historyOf !== `${this.at.record} ${names()}`) {
      this.historyOf = `${this.at.record} ${names()}`;
      this.history.replaceChildren(
        ...history.map(([seat, name, note], k) =>
          element(
            "li",
            {},
            button(`${players[seat] || `seat ${seat}`} ${name}`, () => this.#go(k + 1), { "aria-label": `${players[seat] || `seat ${seat}`}: ${inWords(name, names())}` }),
            note ? element("small", {}, note) : null,
          ),
        ),
      );
    }
    for (const [k, item] of [...this.history.children].entries()) {
      item.firstElementChild.ariaCurrent = k + 1 === this.at.plays ? "step" : null;
      if (k + 1 === this.at.plays) this.history.scrollTop = item.offsetTop - this.history.clientHeight / 2;
    }
  }

  async #judge(player) {
    this.#pause();
    const number = this.asked;
    this.judging = new AbortController();
    this.found.replaceChildren(element("p", { className: "busy" }, `${player} thinks …`));
    try {
      const told = await ask(query(`${this.#address()}/hint`, { player, names: names(), width: widthFor(this.frame) }), { signal: this.judging.signal });
      if (number !== this.asked) return;
      this.frame.replaceChildren(picture(told.svg));
      this.found.replaceChildren(judgementTable({ player, ...told }));
    } catch (fault) {
      if (fault.name !== "AbortError" && number === this.asked) this.found.replaceChildren(element("p", { className: "fault" }, fault.message));
    }
  }

  // Going through it

  #run() {
    if (this.running) this.#pause();
    else {
      this.buttons.run.ariaPressed = "true";
      this.running = setInterval(() => (this.at.plays < this.length ? this.#step({ plays: this.at.plays + 1 }) : this.#pause()), PACE);
    }
  }

  #pause() {
    clearInterval(this.running);
    this.running = undefined;
    this.buttons.run.ariaPressed = "false";
  }

  #key(event) {
    if (event.target.closest?.("input, select, textarea, summary") || event.altKey || event.ctrlKey || event.metaKey) return;
    const { plays } = this.at;
    const ways = { ArrowLeft: plays - 1, ArrowRight: plays + 1, Home: 0, End: this.length };
    if (event.key in ways) this.#go(ways[event.key]);
    else if (event.key === " " && !event.target.closest?.("button, a")) this.#run();
    else return;
    event.preventDefault();
  }
}
