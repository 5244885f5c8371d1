// Cards and plays in words, for those who hear them.

const RANKS = {
  en: { A: "ace", K: "king", Q: "queen", J: "jack", T: "10" },
  ru: { A: "туз", K: "король", Q: "дама", J: "валет", T: "10" },
  de: { A: "Ass", K: "König", Q: "Dame", J: "Bube", T: "10" },
};
const SUITS = {
  en: { c: "clubs", d: "diamonds", h: "hearts", s: "spades" },
  ru: { c: "треф", d: "бубен", h: "червей", s: "пик" },
  de: { c: "Kreuz", d: "Karo", h: "Herz", s: "Pik" },
};
const TAKES = { en: "takes", ru: "берёт", de: "nimmt" };
const ALL = { en: "everything", ru: "всё", de: "alles" };
const SYMBOLS = { "♣": "c", "♦": "d", "♥": "h", "♠": "s" };
const SHOWN = { ru: { Т: "A", К: "K", Д: "Q", В: "J" }, de: { D: "Q", B: "J" }, en: {} };

function rank(shown, names) {
  const own = SHOWN[names][shown] ?? shown;
  return RANKS[names][own] ?? own;
}

/** A card such as "Kh" in words: "king of hearts". */
export function card(name, names) {
  const value = RANKS[names][name[0]] ?? name[0];
  const suit = SUITS[names][name[1]] ?? name[1];
  return { en: `${value} of ${suit}`, ru: `${value} ${suit}`, de: `${suit} ${value}` }[names];
}

/** A play as the server shows it ("K♥×A 10") in words; a play that is no card stays as it is. */
export function play(shown, names) {
  const found = /^(10|[^\s♣♦♥♠×])([♣♦♥♠])(?:×(.*))?$/u.exec(shown);
  if (!found) return shown;
  const value = rank(found[1], names);
  const suit = SUITS[names][SYMBOLS[found[2]]];
  const said = { en: `${value} of ${suit}`, ru: `${value} ${suit}`, de: `${suit} ${value}` }[names];
  if (found[3] === undefined) return said;
  const taken = found[3].match(/10|[^\s]/gu) ?? [];
  const what = taken.map((one) => (one === "*" ? ALL[names] : rank(one, names)));
  return `${said} ${TAKES[names]} ${what.join(", ")}`;
}

/** What a rule is called, from its name in the interface: "num_players" is "num players". */
export function spaced(name) {
  return name.replaceAll("_", " ");
}

/** A number with a sign: "+1.5", "−2". */
export function signed(value, digits = 0) {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}
