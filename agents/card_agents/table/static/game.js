// A game in play, at one seat or at several that share this screen.

import { Refused, Unanswered, ask, listen, query } from "./asking.js";
import { Board } from "./board.js";
import { alarm, button, element, folded, refill, say } from "./elements.js";
import { Hints } from "./hints.js";
import { names, widthFor } from "./look.js";
import { fillCover, linksPanel } from "./people.js";
import { results, scores } from "./scores.js";
import { toldItem } from "./told.js";
import { play as inWords } from "./words.js";

const AGAIN = 1500;

/**
 * Sit at a table. `tokens`: of the seats at this screen, by seat. `links`: addresses of the seats of other people, by
 * seat. `go`: to another part of the page: `go.play(tokens by seat)`, `go.replay(token)`, `go.setup()`.
 */
export class Game {
  constructor(place, tokens, links, go, connected) {
    Object.assign(this, { place, tokens, links, go, connected });
    this.seats = Object.keys(tokens).map(Number);
    this.several = this.seats.length > 1;
    this.seat = this.seats[0];
    this.ready = this.several ? null : this.seat; // whoever has said that it is them who look at the screen
    this.position = null;
    this.pending = null;
    this.narrowed = null;
    this.told = 0;
    this.asked = 0;
    this.over = new AbortController();
    this.#build();
    this.#listen();
  }

  /** Leave the table. */
  close() {
    this.over.abort();
    this.stopListening();
    clearTimeout(this.timer);
  }

  get token() {
    return this.tokens[this.seat];
  }

  // Asking

  #listen() {
    this.stopListening?.();
    this.stopListening = listen(
      this.token,
      (news) => {
        if (news === null || !this.position || news.seen !== this.position.seen) this.look();
        else if (news.thinking !== this.position.thinking) {
          this.position.thinking = news.thinking;
          this.#status();
        }
      },
      (found) => {
        this.connected(found);
        if (found && this.pending) this.#send();
      },
    );
  }

  /** Ask for the position and show it. */
  async look() {
    await this.#answered(() => ask(this.shaped(`seats/${this.token}`), { signal: this.over.signal }));
  }

  shaped(path, more = {}) {
    return query(path, { names: names(), width: widthFor(this.board.shown), ...more });
  }

  /** Show the position that a request is answered with, unless another one has been asked for since. */
  async #answered(request) {
    const number = ++this.asked;
    const token = this.token;
    try {
      const position = await request();
      if (token !== this.token) return;
      this.connected(true);
      if (number === this.asked || position.seen > (this.position?.seen ?? -1)) this.#take(position);
    } catch (fault) {
      this.#fault(fault);
    }
  }

  #fault(fault) {
    if (this.over.signal.aborted || fault.name === "AbortError") return;
    if (fault instanceof Unanswered) {
      this.connected(false);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => (this.pending ? this.#send() : this.look()), AGAIN);
      return;
    }
    alarm(fault.message);
    if (!(fault instanceof Refused)) throw fault;
  }

  #take(position) {
    const before = this.position;
    this.position = position;
    if (before?.seen !== position.seen) {
      this.narrowed = null;
      this.hints.clear();
      if (this.pending && position.seen > this.pending.seen) this.pending = null;
    }
    if (position.trouble) alarm(position.trouble);
    this.#tell(before === null);
    this.render();
  }

  /** Tell those who listen what has been played since they were told last. */
  #tell(first) {
    const { told, labels, seen } = this.position;
    const news = told.filter((play) => play.number >= this.told);
    if (!first) for (const play of news) say(`${labels[play.seat]}: ${inWords(play.name, names())}`, names());
    this.told = seen;
  }

  // Playing

  /** A card of the hand has been pressed: play it, or show the plays that it can make. */
  choose(card) {
    const plays = this.#legal().filter((play) => play.card === card);
    if (plays.length === 1) this.play(plays[0]);
    else if (plays.length > 1) {
      this.narrowed = card;
      this.#plays();
      this.plays.querySelector("button")?.focus();
    } else if (this.position.over) this.#hush("It is over.");
    else if (!this.#onTurn()) this.#hush("It is not your turn.");
    else this.#hush("This card cannot be played now.");
  }

  #hush(sentence) {
    this.remark.textContent = sentence;
  }

  #legal() {
    return this.pending || !this.#onTurn() ? [] : this.position.legal;
  }

  #onTurn() {
    return !this.position.over && this.position.to_play === this.seat && !this.position.trouble;
  }

  play(play) {
    if (this.pending) return;
    alarm(null);
    this.pending = { ...play, seen: this.position.seen, token: this.token };
    this.render();
    this.#send();
  }

  /** Send the play that is pending, and the next one if it is made before the answer; sent twice, it is played once. */
  async #send() {
    if (this.sending) return;
    this.sending = true;
    const sent = this.pending;
    const { token, seen, action } = sent;
    try {
      await this.#answered(async () => {
        try {
          return await ask(this.shaped(`seats/${token}/plays`), { body: { seen, action }, signal: this.over.signal });
        } catch (fault) {
          if (fault instanceof Unanswered || fault.name === "AbortError") throw fault;
          this.pending = null;
          setTimeout(() => this.look());
          throw fault;
        }
      });
    } finally {
      this.sending = false;
      if (this.pending !== null && this.pending !== sent) this.#send();
    }
  }

  async undo() {
    alarm(null);
    await this.#answered(async () => {
      const position = await ask(this.shaped(`seats/${this.token}/undo`), { body: { seen: this.position.seen }, signal: this.over.signal });
      this.told = Math.min(this.told, position.seen);
      return position;
    });
  }

  async next() {
    alarm(null);
    try {
      const answers = await Promise.all(this.seats.map((seat) => ask(`seats/${this.tokens[seat]}/next`, { body: {}, signal: this.over.signal })));
      this.go.play(Object.assign({}, ...answers.map((answer) => answer.seats)));
    } catch (fault) {
      this.#fault(fault);
    }
  }

  async lookThrough() {
    alarm(null);
    try {
      const line = await ask(`seats/${this.token}/record`, { signal: this.over.signal });
      const text = typeof line === "string" ? line : JSON.stringify(line);
      this.go.replay(await ask("replays", { text, signal: this.over.signal }), this.seat);
    } catch (fault) {
      this.#fault(fault);
    }
  }

  // Several people at one screen

  /** The seat whose hand is covered until its person says so, or null. */
  get covered() {
    const { over, to_play } = this.position;
    if (!this.several || over) return null;
    const next = this.seats.includes(to_play) ? to_play : null;
    if (next !== null) return next === this.ready && this.seat === next ? null : next;
    return this.ready === null ? this.seat : null;
  }

  async #uncover(seat) {
    this.ready = this.seat = seat;
    this.hints.clear();
    this.#listen();
    await this.look();
    this.board.focus();
  }

  // Showing

  #build() {
    this.board = new Board((card) => this.choose(card));
    this.status = element("p", { className: "status", role: "status" });
    this.remark = element("p", { className: "remark", role: "status" });
    this.lately = element("ol", { className: "lately", "aria-label": "Played last" });
    this.plays = element("div", { className: "plays", role: "group", "aria-label": "What you may play" });
    this.actions = element("div", { className: "actions" });
    this.cover = element("section", { className: "cover", hidden: true, "aria-labelledby": "cover-title" });
    this.end = element("section", { className: "end", hidden: true, "aria-labelledby": "end-title" });
    this.scores = element("div");
    this.hints = new Hints(this);
    this.words = element("pre", { className: "words" });
    this.log = element("ol", { className: "log" });
    this.open = element(
      "div",
      { className: "open" },
      this.end,
      this.board.shown,
      this.lately,
      element("div", { className: "below" }, this.plays, this.actions),
      this.remark,
    );
    this.table = element(
      "div",
      { className: "game" },
      element("div", { className: "play" }, element("h1", { className: "unseen" }, "The table"), this.status, this.cover, this.open),
      element(
        "aside",
        { "aria-label": "Beside the table" },
        linksPanel(this.links),
        element("section", { className: "totals" }, element("h2", {}, "Scores"), this.scores),
        this.hints.shown,
        folded("Plays of this deal", this.log),
        folded("The position in words", this.words),
      ),
    );
    this.place.replaceChildren(this.table);
  }

  render() {
    const { position } = this;
    const covered = this.covered;
    this.#status();
    this.remark.textContent = "";
    this.open.hidden = covered !== null;
    this.cover.hidden = covered === null;
    this.hints.shown.hidden = covered !== null || position.over;
    this.words.parentElement.hidden = covered !== null;
    this.scores.parentElement.hidden = position.over; // they stand among the results
    this.table.dataset.seen = position.seen;
    this.words.textContent = covered === null ? position.text : "";
    refill(this.scores, scores(position, this.seats));
    this.log.start = position.deal_begins + 1;
    this.log.replaceChildren(...position.told.filter((play) => play.number >= position.deal_begins).map((play) => toldItem(play, this.position, this.several ? null : this.seat)));
    if (covered === null) {
      this.board.show({
        svg: this.hints.svg ?? position.svg,
        marked: this.hints.svg !== null,
        seat: this.seat,
        cards: position.public.hand,
        playable: [...new Set(this.#legal().map((play) => play.card))],
        pending: this.pending?.card,
        names: names(),
        text: position.text,
      });
    } else {
      this.board.clear();
      fillCover(this.cover, position, covered, {
        uncover: () => this.#uncover(covered),
        undo: position.can_undo ? () => this.undo() : null,
        own: this.seat,
      });
    }
    this.lately.replaceChildren(...this.#sinceOwn().map((play) => toldItem(play, this.position, this.several ? null : this.seat)));
    this.#plays();
    this.hints.update(position, this.#legal().length > 0);
    refill(
      this.actions,
      button("Take back", () => this.undo(), { "data-key": "undo", disabled: !position.can_undo || this.pending !== null }),
    );
    this.actions.hidden = position.over;
    this.end.hidden = !position.over;
    if (position.over) this.#showEnd();
  }

  /** The last plays: the person's own and what has followed, at least one round. */
  #sinceOwn() {
    const { told, labels } = this.position;
    const own = told.findLastIndex((play) => play.seat === this.seat);
    return told.slice(own < 0 ? -labels.length : Math.min(own, told.length - 1));
  }

  #status() {
    const { position } = this;
    const { labels, to_play, thinking } = position;
    this.status.classList.toggle("turn", this.#onTurn() && !this.pending);
    this.status.classList.toggle("busy", thinking !== null || this.pending !== null);
    const text = position.trouble
      ? "The game cannot go on."
      : position.over
        ? "The game is over."
        : this.pending
          ? `${this.pending.name} …`
          : to_play === this.seat
            ? this.several
              ? `${labels[to_play]}, it is your turn.`
              : "It is your turn."
            : thinking !== null
              ? `${labels[thinking]} thinks …`
              : `${labels[to_play]} is to play.`;
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  #plays() {
    const legal = this.#legal();
    const some = this.narrowed === null ? legal : legal.filter((play) => play.card === this.narrowed);
    const back = () => {
      const card = this.narrowed;
      this.narrowed = null;
      this.#plays();
      this.board.hand.querySelector(`[data-card="${card}"]`)?.focus();
    };
    this.plays.hidden = legal.length === 0;
    this.plays.classList.toggle("narrowed", this.narrowed !== null);
    this.plays.onkeydown = (event) => {
      if (event.key === "Escape" && this.narrowed !== null) back(); // no value: false would keep the key from the button
    };
    refill(
      this.plays,
      some.map((play) =>
        button(play.name, () => this.play(play), {
          "data-key": `play ${play.action}`,
          "data-action": play.action,
          "aria-label": inWords(play.name, names()),
          lang: names(),
          onfocus: () => this.board.point(play),
          onblur: () => this.board.point(null),
          onpointerenter: () => this.board.point(play),
          onpointerleave: () => this.board.point(null),
        }),
      ),
      this.narrowed !== null ? button("Other cards", back, { className: "quiet" }) : null,
    );
  }

  #showEnd() {
    refill(
      this.end,
      results(this.position, this.several ? null : this.seat),
      element(
        "div",
        { className: "actions" },
        button("Next deal", () => this.next(), { className: "main", "data-key": "next" }),
        button("Look through it, all cards open", () => this.lookThrough(), { "data-key": "through" }),
        element(
          "a",
          {
            className: "button",
            href: `api/seats/${this.token}/record`,
            download: `${this.position.public.game}.jsonl`,
            "data-key": "save",
          },
          "Save the record",
        ),
        button("New game", () => this.go.setup(), { "data-key": "new" }),
      ),
    );
  }
}
