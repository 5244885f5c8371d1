// What the browser keeps for the next visit: the choices of the form, and the links of a game for other people.
// A browser that keeps nothing (private windows, full disks) loses comfort, no game.

export function keep(name, value, where = "localStorage") {
  try {
    globalThis[where].setItem(`card_envs ${name}`, JSON.stringify(value));
  } catch {
    // nothing is kept
  }
}

export function kept(name, where = "localStorage") {
  try {
    return JSON.parse(globalThis[where].getItem(`card_envs ${name}`));
  } catch {
    return null;
  }
}
