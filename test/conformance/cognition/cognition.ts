// The calls of cognition that most tests begin with, each expected to succeed.
import { expect, vi } from "vitest";
import { type Client, inBatches, sleep } from "../support/client";
import type {
  Container,
  Projector,
  ProjectorRun,
  Signal,
  SignalPage,
  Space,
  SpaceChanged,
  Task,
  ThreadAppended,
  ThreadEntry,
  ThreadPage,
} from "../support/contract";
import { bodyOf } from "../support/expectations";

type Fields = Record<string, unknown>;

export async function readContainer(api: Client, session: string): Promise<Container> {
  return bodyOf(await api.get<Container>(`/v1/sessions/${session}/memory`), 200);
}

/** A new space. */
export async function makeSpace<T>(
  api: Client,
  session: string,
  name: string,
  data: T,
  more: Fields = {},
): Promise<Space<T>> {
  const path = `/v1/sessions/${session}/spaces/${encodeURIComponent(name)}`;
  return bodyOf(await api.put<Space<T>>(path, { data, ...more }), 201);
}

export async function readSpace<T>(api: Client, session: string, name: string): Promise<Space<T>> {
  const path = `/v1/sessions/${session}/spaces/${encodeURIComponent(name)}`;
  return bodyOf(await api.get<Space<T>>(path), 200);
}

export async function change<T>(
  api: Client,
  session: string,
  space: string,
  ops: Fields[],
  more: Fields = {},
): Promise<SpaceChanged<T>> {
  const path = `/v1/sessions/${session}/spaces/${encodeURIComponent(space)}/ops`;
  return bodyOf(await api.post<SpaceChanged<T>>(path, { ops, ...more }), 200);
}

export async function addTask(api: Client, session: string, text: string, more: Fields = {}): Promise<Task> {
  return bodyOf(await api.post<Task>(`/v1/sessions/${session}/tasks`, { text, ...more }), 201);
}

export async function append(
  api: Client,
  session: string,
  entries: { kind: string; payload: unknown; at?: string }[],
): Promise<ThreadAppended> {
  return bodyOf(await api.post<ThreadAppended>(`/v1/sessions/${session}/thread`, { entries }), 201);
}

export async function readThread<T = unknown>(
  api: Client,
  session: string,
  query = "",
): Promise<ThreadPage<T>> {
  return bodyOf(await api.get<ThreadPage<T>>(`/v1/sessions/${session}/thread?${query}`), 200);
}

/** All there is, as a reader gets it who goes on with next_seq until there is no more. */
export async function wholeThread<T = unknown>(
  api: Client,
  session: string,
  query = "",
): Promise<ThreadEntry<T>[]> {
  const entries: ThreadEntry<T>[] = [];
  for (let from = 1; ; ) {
    const page = await readThread<T>(api, session, `limit=100&from=${from}&${query}`);
    if (page.data.length === 0) return entries;
    entries.push(...page.data);
    expect(page.next_seq, "next_seq leads on").toBeGreaterThan(from);
    from = page.next_seq;
  }
}

export async function projectorsOf(api: Client, session: string): Promise<Projector[]> {
  return bodyOf(await api.get<{ data: Projector[] }>(`/v1/sessions/${session}/projectors`), 200).data;
}

export async function project(api: Client, session: string, name: string): Promise<ProjectorRun> {
  return bodyOf(await api.post<ProjectorRun>(`/v1/sessions/${session}/projectors/${name}/run`), 200);
}

/** A directive that stores the items, by key. */
export function upsert(provider: string, items: Fields, more: Fields = {}): Fields {
  const list = Object.entries(items).map(([key, value]) => ({ key, value }));
  return { type: "upsert", provider, items: list, ...more };
}

/** Hands in a directive, and gives its request id. */
export async function direct(api: Client, session: string, directive: Fields): Promise<string> {
  const path = `/v1/sessions/${session}/directives`;
  return bodyOf(await api.post<{ request_id: string }>(path, directive), 202).request_id;
}

/** All signals, as a client gets them that goes on with `next` until there are no more. */
export async function signalsOf(api: Client, session: string): Promise<Signal[]> {
  const signals: Signal[] = [];
  for (let after = 0; ; ) {
    const path = `/v1/sessions/${session}/signals?limit=100&after=${after}`;
    const page = bodyOf(await api.get<SignalPage>(path), 200);
    if (page.data.length === 0) return signals;
    signals.push(...page.data);
    expect(page.next, "next leads on").toBeGreaterThan(after);
    after = page.next;
  }
}

export function answersTo(signals: Signal[], request: string): Signal[] {
  return signals.filter(({ data }) => data.request_id === request);
}

/** The signal that answers a directive, once it is there. */
export async function answerTo(api: Client, session: string, request: string): Promise<Signal> {
  return await vi.waitFor(
    async () => {
      const [answer] = answersTo(await signalsOf(api, session), request);
      if (answer === undefined) throw new Error(`no signal answers ${request}`);
      return answer;
    },
    { interval: 20 },
  );
}

/** What a directive came to, which must be good. */
export async function outcome<T>(api: Client, session: string, directive: Fields): Promise<T> {
  const signal = await answerTo(api, session, await direct(api, session, directive));
  expect(signal.data).toMatchObject({ status: "ok" });
  return signal.data.result as T;
}

const PROVIDERS = ["inline", "d1", "vector"];

/** Hands in so many directives, a few at once. */
export async function busy(api: Client, session: string, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, n) => n);
  return inBatches(numbers, 4, async (n) => {
    await sleep(5);
    return direct(api, session, upsert(PROVIDERS[n % 3] ?? "inline", { [`k${n}`]: `Value ${n}` }));
  });
}

/** All signals, once there are so many. */
export async function answered(api: Client, session: string, count: number): Promise<Signal[]> {
  return await vi.waitFor(
    async () => {
      const signals = await signalsOf(api, session);
      expect(signals).toHaveLength(count);
      return signals;
    },
    { interval: 50 },
  );
}

export function numbersOf(signals: Signal[]): number[] {
  return signals.map(({ seq }) => seq);
}
