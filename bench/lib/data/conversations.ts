// Reads conversations with questions from a data file: speakers, times, and the turns or sessions that answer.
import { readFile } from "node:fs/promises";
import { readMessage } from "../../../scripts/lib/errors.ts";
import { getItem } from "../get-item.ts";

/** A conversation as the data file has it. */
export interface ConversationData {
  id: string;
  speakers?: string[];
  turns: { id: string; session: number; date: string; speaker: string; text: string; caption?: string }[];
  questions: {
    question: string;
    category: number | string;
    evidence?: string[];
    evidence_sessions?: number[];
    asked_in_session?: number;
  }[];
}

export interface Turn {
  id: string;
  session: number;
  speaker: string;
  role: "user" | "assistant";
  text: string;
  /** Milliseconds since 1970. */
  at: number;
}

export interface Session {
  number: number;
  date: string;
  at: number;
  turns: Turn[];
}

/** Evidence is ids of turns or numbers of sessions. */
export type Evidence =
  | { level: "turn"; evidence: readonly string[] }
  | { level: "session"; evidence: readonly number[] };

export type Question = Evidence & {
  conversation: string;
  number: number;
  query: string;
  category: string;
  /** The session in which it was asked, from which on nothing counts. */
  before: number | null;
};

export interface Conversation {
  id: string;
  /** In the order they were held. */
  sessions: Session[];
  /** The times alone order the sessions. */
  ordered: boolean;
  questions: Question[];
}

/** Separates two sessions of the same day, for which the data has no time. */
const PAUSE_MS = 60_000;
const TURN_MS = 1_000;

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);

const CATEGORIES: Readonly<Record<string, string>> = {
  1: "1 multi-hop",
  2: "2 temporal",
  3: "3 open-domain",
  4: "4 single-hop",
  5: "5 adversarial",
};

export async function readConversations(path: string): Promise<Conversation[]> {
  const text = await readFile(path, "utf8");
  try {
    const data: ConversationData[] = JSON.parse(text);
    if (!Array.isArray(data)) throw new Error("it is not a list");
    data.forEach(checkConversation);
    return data.map(toConversation);
  } catch (error) {
    throw new Error(`${path} has no conversations that can be read: ${readMessage(error)}`, { cause: error });
  }
}

/** Throws if a part is missing, or if a question rests on a turn or a session that the conversation does not have. */
export function checkConversation({ id, turns, questions }: Partial<ConversationData>, place: number): void {
  if (!id || !Array.isArray(turns) || !Array.isArray(questions))
    throw new Error(`conversation ${id ?? place} needs id, turns and questions`);
  for (const [i, turn] of turns.entries())
    if (
      !turn.id ||
      typeof turn.text !== "string" ||
      !turn.speaker ||
      !turn.date ||
      turn.session === undefined
    )
      throw new Error(`turn ${turn.id ?? i} of ${id} needs id, speaker, text, session and date`);
  const known = new Set<string | number>(turns.flatMap((turn) => [turn.id, turn.session]));
  for (const { question, evidence, evidence_sessions } of questions) {
    const all = evidence ?? evidence_sessions ?? [];
    if (!question || all.length === 0)
      throw new Error(`a question of ${id} needs question, and evidence or evidence_sessions`);
    const unknown = all.find((one) => !known.has(one));
    if (unknown !== undefined)
      throw new Error(`"${question}" of ${id} rests on ${unknown}, which is not there`);
  }
}

export function toConversation({ id, speakers = [], turns, questions }: ConversationData): Conversation {
  const sessions: Session[] = [];
  for (const turn of turns) {
    let session = sessions.at(-1);
    if (session?.number !== turn.session) {
      const at = computeStart(turn.date, session);
      session = { number: turn.session, date: turn.date, at, turns: [] };
      sessions.push(session);
    }
    session.turns.push({
      id: turn.id,
      session: turn.session,
      speaker: turn.speaker,
      role: chooseRole(turn.speaker, speakers),
      text: turn.caption ? `${turn.text} [shares a photo: ${turn.caption}]` : turn.text,
      at: session.at + session.turns.length * TURN_MS,
    });
  }
  return {
    id,
    sessions,
    ordered: sessions.every(({ at }, i) => i === 0 || at > computeEnd(getItem(sessions, i - 1))),
    questions: questions.map((asked, number) => ({
      conversation: id,
      number,
      query: asked.question,
      category: CATEGORIES[asked.category] ?? String(asked.category),
      ...toEvidence(asked),
      before: asked.asked_in_session ?? null,
    })),
  };
}

function toEvidence({ evidence, evidence_sessions = [] }: ConversationData["questions"][number]): Evidence {
  if (evidence === undefined) return { level: "session", evidence: evidence_sessions };
  return { level: "turn", evidence };
}

/** A date without a time begins at midnight, or after the session before on the same day. */
function computeStart(date: string, before: Session | undefined): number {
  return before?.date === date ? computeEnd(before) + PAUSE_MS : parseDate(date);
}

function computeEnd({ at, turns }: Session): number {
  return turns.at(-1)?.at ?? at;
}

/** Milliseconds of "1:56 pm on 8 May, 2023" or "2025-12-15 (Monday)", taken as UTC. */
export function parseDate(text: string): number {
  const day = /^(\d{4})-(\d{2})-(\d{2})\b/.exec(text);
  if (day !== null) return Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3]));
  const moment = /^(\d{1,2}):(\d{2}) ([ap])m on (\d{1,2}) ([a-z]+),? (\d{4})$/i.exec(text.trim());
  const [, hour, minute, half = "", date, monthName = "", year] = moment ?? [];
  const month = MONTHS.indexOf(monthName.toLowerCase());
  if (month === -1) throw new Error(`Not a date this benchmark can read: ${text}`);
  const hours = (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return Date.UTC(Number(year), month, Number(date), hours, Number(minute));
}

/** Where two people talk, the second stands for the assistant. */
function chooseRole(speaker: string, speakers: readonly string[]): Turn["role"] {
  if (speaker === "user" || speaker === "assistant") return speaker;
  return speaker === speakers[0] ? "user" : "assistant";
}

/** Takes `count` items at even distances, so that a part covers every conversation and category. */
export function takeEvenly<T>(items: readonly T[], count: number): readonly T[] {
  if (count >= items.length) return items;
  return Array.from({ length: count }, (_, i) => getItem(items, Math.floor((i * items.length) / count)));
}

/** Replaces characters that an id may not have: it takes A-Z, a-z, 0-9, _ and -. */
export function toSafeId(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, "-");
}

/** Returns the longest beginning of at most `bytes` bytes of UTF-8 that ends with a whole character. */
export function cutBytes(text: string, bytes: number): string {
  const encoded = new TextEncoder().encode(text);
  if (encoded.byteLength <= bytes) return text;
  let end = bytes;
  while (((encoded[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1;
  return new TextDecoder().decode(encoded.subarray(0, end));
}

/** Returns the first `count` code points. */
export function cutChars(text: string, count: number): string {
  return text.length <= count ? text : [...text].slice(0, count).join("");
}
