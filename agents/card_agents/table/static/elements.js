// Elements of the page, made by hand: no framework.

/** An element. `given`: attributes, properties of forms, and `on…` listeners; `children`: elements or text, null for none. */
export function element(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (["checked", "disabled", "hidden", "value", "className", "htmlFor", "selected"].includes(name)) made[name] = value;
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

export function button(text, press, given = {}) {
  return element("button", { type: "button", onclick: press, ...given }, text);
}

/** What is shown when somebody asks for it by its title. */
export function folded(title, ...children) {
  return element("details", { "aria-label": title }, element("summary", {}, title), ...children);
}

/** A picture of the server as an element of this page. It comes with a size in pixels; the page gives it its own. */
export function picture(svg) {
  const made = document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
  made.removeAttribute("width");
  made.removeAttribute("height");
  return made;
}

let alertShown = null;

/** Show a sentence about something that went wrong until it is dismissed or the page goes on. */
export function alarm(sentence) {
  const place = document.getElementById("alert");
  alertShown = sentence;
  place.hidden = !sentence;
  place.replaceChildren(...(sentence ? [element("span", {}, sentence), button("Dismiss", () => alarm(null))] : []));
}

/** What `alarm` shows, or null. */
export function alarmed() {
  return alertShown;
}

/** Say something to screen readers, after what has been said before. */
export function say(sentence, lang = null) {
  const log = document.getElementById("told");
  log.append(element("p", { lang }, sentence));
  while (log.childElementCount > 30) log.firstElementChild.remove();
}

const filled = new WeakMap();

/**
 * Put elements in the place of all children of another, and keep the focus on the one with the same `data-key`. Where
 * they look the same nothing is replaced, since somebody may be pressing one of them: what they do must be the same too.
 */
export function refill(place, ...children) {
  const made = element("div", {}, ...children);
  if (filled.get(place) === made.innerHTML) return;
  filled.set(place, made.innerHTML);
  const key = place.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  place.replaceChildren(...made.childNodes);
  if (key !== undefined) [...place.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key)?.focus();
}
