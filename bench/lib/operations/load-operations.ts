// The calls that clients make at the same time, on one session and on many.
import { type Call, post } from "../connection.ts";
import { generateMemory, generateMessage, generateQuery } from "../data/memories.ts";
import { getItem } from "../get-item.ts";
import { createRemember, type RecallMode } from "./core-operations.ts";

/** Far from the numbers that loading uses. */
const NEW_MEMORIES = 30_000_000;

const ONE = ["load-one"];
const MANY = Array.from({ length: 32 }, (_, i) => `load-${i}`);

export const LOAD_SESSION_IDS = [...ONE, ...MANY];

export interface LoadOperation {
  name: string;
  /** Each number makes another call. */
  call(number: number): Call;
}

export function createLoadOperations(size: number): LoadOperation[] {
  const pickSession = (sessions: readonly string[], i: number) => getItem(sessions, i % sessions.length);
  const remember = (sessions: readonly string[]) => (i: number) =>
    createRemember({ ...generateMemory(NEW_MEMORIES + i), session_id: pickSession(sessions, i) });
  const addMessage = (sessions: readonly string[]) => (i: number) =>
    post(`/v1/sessions/${pickSession(sessions, i)}/messages`, { messages: [generateMessage(i)] });
  const recall = (mode: RecallMode) => (i: number) =>
    post(`/v1/sessions/${pickSession(MANY, i)}/recall`, {
      query: generateQuery(i, size),
      scope: "tenant",
      mode,
    });
  const putContext = (i: number): Call => ({
    method: "PUT",
    path: `/v1/sessions/${pickSession(MANY, i)}/context/framework`,
    body: { value: `Hono ${i}` },
  });
  return [
    { name: "remember, one session", call: remember(ONE) },
    { name: "remember, 32 sessions", call: remember(MANY) },
    { name: "add message, one session", call: addMessage(ONE) },
    { name: "add message, 32 sessions", call: addMessage(MANY) },
    { name: "recall text, 32 sessions", call: recall("text") },
    { name: "recall hybrid, 32 sessions", call: recall("hybrid") },
    { name: "context put, 32 sessions", call: putContext },
  ];
}

/** The write that the others are compared with: a batch of two inserts in D1. */
export const BARE_WRITE: LoadOperation = {
  name: "bare D1 batch write",
  call: (i) => post("/d1", { id: `load-${i}`, text: generateMemory(i).content }),
};
