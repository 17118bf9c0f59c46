// Conversations with questions, read from a data file. All that is known about its shape is here: who speaks, when,
// and which turns or sessions answer.
import { readFile } from "node:fs/promises";

/** Between two sessions of which the data only says that they were on the same day. */
const PAUSE_MS = 60_000;
const TURN_MS = 1_000;

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);

const CATEGORIES = {
  1: "1 multi-hop",
  2: "2 temporal",
  3: "3 open-domain",
  4: "4 single-hop",
  5: "5 adversarial",
};

export async function readConversations(path) {
  return JSON.parse(await readFile(path, "utf8")).map(toConversation);
}

/**
 * A conversation has `sessions` of turns in the order they were held, and `questions`. A question's `evidence` are
 * ids of turns, or numbers of sessions where its `level` says so; `before` is the session it was asked in, from
 * which on nothing counts, or null. `ordered` says whether the times alone tell what was before what.
 */
export function toConversation({ id, speakers = [], turns, questions }) {
  const sessions = [];
  for (const turn of turns) {
    let session = sessions.at(-1);
    if (session?.number !== turn.session) {
      const before = session;
      session = { number: turn.session, date: turn.date, at: startOf(turn.date, before), turns: [] };
      sessions.push(session);
    }
    session.turns.push({
      id: turn.id,
      session: turn.session,
      speaker: turn.speaker,
      role: roleOf(turn.speaker, speakers),
      text: turn.caption ? `${turn.text} [shares a photo: ${turn.caption}]` : turn.text,
      at: session.at + session.turns.length * TURN_MS,
    });
  }
  return {
    id,
    sessions,
    ordered: sessions.every(({ at }, i) => i === 0 || at > endOf(sessions[i - 1])),
    questions: questions.map((asked, number) => ({
      conversation: id,
      number,
      query: asked.question,
      category: CATEGORIES[asked.category] ?? String(asked.category),
      level: asked.evidence === undefined ? "session" : "turn",
      evidence: asked.evidence ?? asked.evidence_sessions,
      before: asked.asked_in_session ?? null,
    })),
  };
}

/** A day has no time of its own: its second session follows its first. */
function startOf(date, before) {
  return before?.date === date ? endOf(before) + PAUSE_MS : parseDate(date);
}

function endOf(session) {
  return session.turns.at(-1).at;
}

/** Milliseconds of "1:56 pm on 8 May, 2023" or "2025-12-15 (Monday)", taken as UTC. */
export function parseDate(text) {
  const day = /^(\d{4})-(\d{2})-(\d{2})\b/.exec(text);
  if (day !== null) return Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3]));
  const moment = /^(\d{1,2}):(\d{2}) ([ap])m on (\d{1,2}) ([a-z]+),? (\d{4})$/i.exec(text.trim());
  const month = MONTHS.indexOf(moment?.[5].toLowerCase());
  if (month === -1) throw new Error(`Not a date this benchmark can read: ${text}`);
  const [, hour, minute, half, date, , year] = moment;
  const hours = (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return Date.UTC(Number(year), month, Number(date), hours, Number(minute));
}

/** Where two people talk, one of them has to be the assistant. */
function roleOf(speaker, speakers) {
  if (speaker === "user" || speaker === "assistant") return speaker;
  return speaker === speakers[0] ? "user" : "assistant";
}

/** `count` of them at even distances, so that a part holds something of every conversation and category. */
export function spread(items, count) {
  if (count >= items.length) return items;
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]);
}

/** What an id may be made of: A-Z, a-z, 0-9, _ and -. */
export function safeId(text) {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, "-");
}

/** The longest beginning of at most `bytes` bytes of UTF-8 that ends with a whole character. */
export function cutBytes(text, bytes) {
  const encoded = new TextEncoder().encode(text);
  if (encoded.byteLength <= bytes) return text;
  let end = bytes;
  while ((encoded[end] & 0b1100_0000) === 0b1000_0000) end -= 1;
  return new TextDecoder().decode(encoded.subarray(0, end));
}

/** The first `count` code points. */
export function cutChars(text, count) {
  return text.length <= count ? text : [...text].slice(0, count).join("");
}
