// The picture of a position with its hand as buttons: each lies over its card, so that mouse, touch, keyboard and
// screen readers use the same thing.

import { element, picture } from "./elements.js";
import { card } from "./words.js";

/**
 * A picture whose hand can be played.
 *
 * `choose(card)` is called for a card that is pressed. The element of the board is `shown`.
 */
export class Board {
  constructor(choose) {
    this.choose = choose;
    this.hand = element("div", { className: "hand", role: "group", "aria-label": "Your hand" });
    this.hand.addEventListener("keydown", (event) => this.#walk(event));
    this.frame = element("div", { className: "frame" });
    this.shown = element("div", { className: "board" }, this.frame, this.hand);
  }

  /**
   * Show a picture, `svg`, of what `seat` sees. `cards`: the hand; `playable`: those of them that may be played now; `pending`: one that has been
   * played and not yet answered for; `text`: the position in words; `marked`: whether there is more in the picture than
   * the position.
   */
  show(given) {
    const same = JSON.stringify(given);
    if (same === this.given) return; // what is being pressed must not be replaced
    this.given = same;
    const { svg, marked, seat, cards, playable, pending, names, text } = given;
    const had = this.hand.contains(document.activeElement) ? document.activeElement.dataset.card : null;
    const place = this.#buttons.findIndex((one) => one.dataset.card === had);
    this.svg = picture(svg);
    this.svg.querySelector("desc")?.replaceChildren(text);
    this.frame.replaceChildren(this.svg);
    const { width, height } = this.svg.viewBox.baseVal;
    if (!marked) this.shown.style.setProperty("--shape", width / height);
    const own = this.svg.querySelector(`.seat[data-seat="${seat}"]`);
    this.drawn = new Map(cards.map((name) => [name, own?.querySelector(`[data-card="${name}"]`)]).filter(([, drawn]) => drawn));
    const waiting = playable.length > 0;
    for (const [name, drawn] of this.drawn) {
      drawn.classList.toggle("idle", waiting && !playable.includes(name));
      drawn.classList.toggle("pending", name === pending);
    }
    this.hand.replaceChildren(...this.#placed(playable, names));
    this.#roving(this.#buttons.find((one) => one.dataset.card === had) ?? this.#buttons.find((one) => !one.ariaDisabled || one.ariaDisabled === "false"));
    if (had !== null && this.#buttons.length) this.#focus(had, place);
  }

  /** Show no picture: what lies here is covered. */
  clear() {
    this.given = null;
    this.drawn = new Map();
    this.frame.replaceChildren();
    this.hand.replaceChildren();
  }

  /** Outline the cards that a play would move: the card itself, and those it takes. */
  point(play) {
    for (const lit of this.frame.querySelectorAll(".lit")) lit.classList.remove("lit");
    if (!play) return;
    this.drawn.get(play.card)?.classList.add("lit");
    for (const name of play.takes) {
      for (const drawn of this.frame.querySelectorAll(`[data-card="${name}"]`)) drawn.classList.add("lit");
    }
  }

  /** Put the focus on the first card that can be played. */
  focus() {
    (this.#buttons.find((one) => one.ariaDisabled !== "true") ?? this.#buttons[0])?.focus();
  }

  get #buttons() {
    return [...this.hand.children];
  }

  /** Buttons over the cards of the hand; where cards overlap, over the part that is seen. */
  #placed(playable, names) {
    const view = this.svg.viewBox.baseVal;
    const boxes = [...this.drawn].map(([name, drawn]) => [name, drawn.querySelector("rect")]).filter(([, box]) => box);
    return boxes.map(([name, box], k) => {
      const [x, y, width, height] = ["x", "y", "width", "height"].map((side) => box[side].baseVal.value);
      const next = boxes[k + 1]?.[1].x.baseVal.value ?? Infinity;
      const made = element("button", {
        type: "button",
        lang: names,
        title: card(name, names),
        "aria-label": card(name, names),
        "aria-disabled": String(!playable.includes(name)),
        "data-card": name,
        onclick: () => this.choose(name),
        onpointerenter: () => this.drawn.get(name)?.classList.add("raised"),
        onpointerleave: () => this.drawn.get(name)?.classList.remove("raised"),
      });
      Object.assign(made.style, {
        left: `${(100 * x) / view.width}%`,
        top: `${(100 * y) / view.height}%`,
        width: `${(100 * Math.min(width, next - x)) / view.width}%`,
        height: `${(100 * height) / view.height}%`,
      });
      return made;
    });
  }

  /** One card of the hand is reached by Tab, the others from it by arrow keys. */
  #roving(chosen) {
    for (const one of this.#buttons) one.tabIndex = one === (chosen ?? this.#buttons[0]) ? 0 : -1;
  }

  #focus(name, place) {
    const same = this.#buttons.find((one) => one.dataset.card === name);
    const next = same ?? this.#buttons[Math.min(place, this.#buttons.length - 1)];
    this.#roving(next);
    next.focus();
  }

  #walk(event) {
    const way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -Infinity, End: Infinity }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    const all = this.#buttons;
    const at = all.indexOf(document.activeElement);
    const next = all[Math.max(0, Math.min(all.length - 1, at + way))];
    this.#roving(next);
    next.focus();
  }
}
