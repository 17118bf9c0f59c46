// The calls most tests begin with, each expected to succeed.
import { expect } from "vitest";
import { type Client, fresh } from "./client";
import type {
  Hit,
  Memory,
  MessageHit,
  MessagesAdded,
  MessagesRecalled,
  Page,
  Pending,
  Promotion,
  Recalled,
  Remembered,
  Session,
} from "./contract";
import { bodyOf } from "./expectations";

type Fields = Record<string, unknown>;

export async function newSession(api: Client, more: Fields = {}): Promise<Session> {
  return bodyOf(await api.post<Session>("/v1/sessions", { id: fresh("session"), ...more }), 201);
}

/** A session whose pending memories stay where they are until somebody promotes them. */
export function quietSession(api: Client, more: Fields = {}): Promise<Session> {
  return newSession(api, {
    ...more,
    promotion: { enabled: false, ...(more.promotion as Fields | undefined) },
  });
}

export async function readSession(api: Client, id: string): Promise<Session> {
  return bodyOf(await api.get<Session>(`/v1/sessions/${id}`), 200);
}

export async function say(api: Client, session: string, messages: Fields[]): Promise<MessagesAdded> {
  return bodyOf(await api.post<MessagesAdded>(`/v1/sessions/${session}/messages`, { messages }), 201);
}

export async function remember(
  api: Client,
  session: string,
  content: string,
  more: Fields = {},
): Promise<Remembered> {
  return bodyOf(await api.post<Remembered>(`/v1/sessions/${session}/remember`, { content, ...more }), 201);
}

export async function recall(api: Client, session: string, more: Fields = {}): Promise<Hit[]> {
  const found = bodyOf(await api.post<Recalled>(`/v1/sessions/${session}/recall`, more), 200);
  expect(found.count).toBe(found.memories.length);
  return found.memories;
}

/** What was said and matches, in the session unless the scope is wider. */
export async function recallSaid(api: Client, session: string, more: Fields = {}): Promise<MessageHit[]> {
  const body = { sources: ["messages"], ...more };
  const found = bodyOf(await api.post<MessagesRecalled>(`/v1/sessions/${session}/recall`, body), 200);
  expect(found.count).toBe(found.memories.length);
  return found.memories;
}

export async function forget(api: Client, session: string, memory: string, more: Fields = {}): Promise<void> {
  bodyOf(await api.post(`/v1/sessions/${session}/forget`, { memory_id: memory, ...more }), 200);
}

export async function readMemory(api: Client, id: string): Promise<Memory> {
  return bodyOf(await api.get<Memory>(`/v1/memories/${id}`), 200);
}

export async function propose(
  api: Client,
  session: string,
  content: string,
  more: Fields = {},
): Promise<Pending> {
  const body = { content, memory_type: "fact", ...more };
  return bodyOf(await api.post<Pending>(`/v1/sessions/${session}/pending`, body), 201);
}

export async function promote(api: Client, session: string): Promise<Promotion> {
  return bodyOf(await api.post<Promotion>(`/v1/sessions/${session}/promote`), 200);
}

export function ids(items: { id: string }[]): string[] {
  return items.map((item) => item.id);
}

export function contents(items: { content: string }[]): string[] {
  return items.map((item) => item.content);
}

/** Every item of a list, page by page; a cursor that leads nowhere new is a failure. */
export async function allPages<T>(api: Client, path: string, limit = 100): Promise<T[]> {
  const items: T[] = [];
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const query: string = `limit=${limit}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page: Page<T> = bodyOf(
      await api.get<Page<T>>(`${path}${path.includes("?") ? "&" : "?"}${query}`),
      200,
    );
    expect(page.data.length).toBeLessThanOrEqual(limit);
    items.push(...page.data);
    cursor = page.next_cursor;
    if (cursor !== null) {
      expect(seen.has(cursor), "every cursor is new").toBe(false);
      seen.add(cursor);
    }
  } while (cursor !== null);
  return items;
}

export function memoriesOf(api: Client, session: string, more = ""): Promise<Memory[]> {
  return allPages<Memory>(api, `/v1/memories?session_id=${session}${more}`);
}
