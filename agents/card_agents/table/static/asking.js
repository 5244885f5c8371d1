// Asking the server. All addresses are relative to the page, whose own address has a secret in it.

/** The server has refused something: its sentence, and the status of HTTP. */
export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/** No answer came. */
export class Unanswered extends Error {}

/** The answer to a request; `Refused` with the server's sentence, `Unanswered` if there is none. */
export async function ask(path, { body, text, signal } = {}) {
  const how = { signal };
  if (text !== undefined) Object.assign(how, { method: "POST", body: text });
  else if (body !== undefined)
    Object.assign(how, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
  let answer, content;
  try {
    answer = await fetch(`api/${path}`, how);
    content = await answer.text();
  } catch (fault) {
    if (fault.name === "AbortError") throw fault;
    throw new Unanswered("The server does not answer.");
  }
  let read;
  try {
    read = JSON.parse(content);
  } catch {
    if (answer.ok) return content;
    throw new Refused(answer.status, `The server answers with the status ${answer.status}.`);
  }
  if (!answer.ok) throw new Refused(answer.status, read.error ?? `The server answers with the status ${answer.status}.`);
  return read;
}

/** An address of the interface with what is asked for, leaving out what is undefined. */
export function query(path, asked) {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== null);
  return `${path}?${new URLSearchParams(given)}`;
}

let known;

/** What can be chosen: games, rules, players. Asked for once. */
export async function choices() {
  known ??= await ask("choices");
  return known;
}

const AGAIN = 1500;

/**
 * Hear of changes at a seat. `changed` is called whenever there may be news, also after a connection that was lost;
 * `connected(bool)` whenever it is lost or found. Returns what ends it.
 */
export function listen(token, changed, connected) {
  let stream, timer, ended = false;
  function open() {
    stream = new EventSource(`api/seats/${token}/events`);
    stream.onopen = () => connected(true);
    stream.addEventListener("changed", (event) => changed(JSON.parse(event.data)));
    stream.onerror = () => {
      connected(false);
      if (stream.readyState === EventSource.CLOSED && !ended) {
        // A refusal, perhaps of a server that has only just begun: the page asks again, which also gets its sentence.
        changed(null);
        timer = setTimeout(open, AGAIN);
      }
    };
  }
  open();
  return () => {
    ended = true;
    clearTimeout(timer);
    stream.close();
  };
}
