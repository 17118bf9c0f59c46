// The thread: an append-only log without gaps, which everything that happens lands in.
import { describe, expect, it } from "vitest";
import { newSession, promote, propose, quietSession, readSession, say } from "../support/actions";
import { fresh } from "../support/client";
import { ISO_MS, type ThreadEntry } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { answerTo, append, direct, readThread, wholeThread } from "./cognition";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;

function note(payload: unknown): { kind: string; payload: unknown } {
  return { kind: "note", payload };
}

function user(content: string, more: Fields = {}): Fields {
  return { role: "user", content, ...more };
}

function seqs(entries: ThreadEntry[]): number[] {
  return entries.map(({ seq }) => seq);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n + 1);
}

describe("appending", () => {
  it("numbers entries from 1, without a gap", async () => {
    const id = fresh("session");
    expect(await append(kioku.api, id, [note("a"), note("b"), note("c")])).toEqual({
      first_seq: 1,
      last_seq: 3,
    });
    expect(await append(kioku.api, id, [note("d")])).toEqual({ first_seq: 4, last_seq: 4 });
    const { data } = await readThread(kioku.api, id);
    expect(data.map(({ seq, kind, payload }) => [seq, kind, payload])).toEqual([
      [1, "note", "a"],
      [2, "note", "b"],
      [3, "note", "c"],
      [4, "note", "d"],
    ]);
    expect((await readSession(kioku.api, id)).status).toBe("active");
  });

  it("takes every kind, and every JSON value as its payload", async () => {
    const { id } = await newSession(kioku.api);
    const kinds = ["message", "tool_call", "tool_result", "signal", "note"];
    const payloads = [
      null,
      true,
      false,
      0,
      -1.5,
      1e21,
      "",
      '日本 \n " \\',
      [],
      [[1], { a: null }],
      {},
      { a: { b: [] } },
    ];
    const entries = kinds.flatMap((kind) => payloads.map((payload) => ({ kind, payload })));
    await append(kioku.api, id, entries);
    const read = await wholeThread(kioku.api, id);
    expect(read.map(({ kind, payload }) => ({ kind, payload }))).toEqual(entries);
  });

  it("keeps the time given, and gives the time of arrival to the others", async () => {
    const { id } = await newSession(kioku.api);
    const before = Date.now();
    await append(kioku.api, id, [{ ...note("now") }, { ...note("then"), at: "2020-01-31T13:00:00.5+01:00" }]);
    const { data } = await readThread(kioku.api, id);
    expect(data[0]?.at).toMatch(ISO_MS);
    expect(Math.abs(Date.parse(data[0]?.at ?? "") - before)).toBeLessThan(60_000);
    expect(data[1]).toMatchObject({ seq: 2, at: "2020-01-31T12:00:00.500Z" });
  });

  it.each<[string, Fields, RegExp]>([
    ["a kind nobody knows", { kind: "rumour", payload: 1 }, /entries.*\b2\b.*kind/],
    ["no kind", { payload: 1 }, /entries.*\b2\b.*kind/],
    ["no payload", { kind: "note" }, /entries.*\b2\b.*payload/],
    ["a time that is none", { kind: "note", payload: 1, at: "yesterday" }, /entries.*\b2\b.*at/],
  ])("an entry with %s refuses the whole call", async (_name, entry, path) => {
    const id = fresh("session");
    const entries = [note("a"), note("b"), entry, note("c")];
    expectProblem(await kioku.api.post(`/v1/sessions/${id}/thread`, { entries }), "invalid_request", path);
    expectProblem(await kioku.api.get(`/v1/sessions/${id}/thread`), "not_found");
    expect(await append(kioku.api, id, [note("first")])).toEqual({ first_seq: 1, last_seq: 1 });
  });

  it.each<[string, Fields]>([
    ["no entries", { entries: [] }],
    ["nothing", {}],
    ["an entry instead of a list", { entries: note("a") }],
    ["a number of its own", { entries: [{ ...note("a"), seq: 7 }] }],
  ])("of %s is refused", async (_name, body) => {
    const id = fresh("session");
    expectProblem(await kioku.api.post(`/v1/sessions/${id}/thread`, body), "invalid_request");
    expectProblem(await kioku.api.get(`/v1/sessions/${id}`), "not_found");
  });

  it("never loses __proto__ in a payload without a word", async () => {
    const { id } = await newSession(kioku.api);
    const raw = '{"entries":[{"kind":"note","payload":{"__proto__":{"polluted":true}}}]}';
    const answer = await kioku.api.call("POST", `/v1/sessions/${id}/thread`, { raw });
    if (answer.status === 201)
      expect((await kioku.api.get(`/v1/sessions/${id}/thread`)).text).toContain("__proto__");
    else expectProblem(answer, "invalid_request");
  });

  it("at once, and messages between, leaves no gap and keeps each call together", async () => {
    const { id } = await newSession(kioku.api);
    const calls = Array.from({ length: 30 }, (_, call) => [0, 1, 2, 3, 4].map((n) => note(`${call}:${n}`)));
    const [ranges] = await Promise.all([
      Promise.all(calls.map((entries) => append(kioku.api, id, entries))),
      Promise.all(calls.map((_, n) => say(kioku.api, id, [user(`Message ${n}`)]))),
    ]);
    const thread = await wholeThread(kioku.api, id);
    expect(seqs(thread)).toEqual(upTo(180));
    for (const [call, { first_seq, last_seq }] of ranges.entries()) {
      const own = thread.filter(({ seq }) => seq >= first_seq && seq <= last_seq);
      expect(own.map(({ payload }) => payload)).toEqual([0, 1, 2, 3, 4].map((n) => `${call}:${n}`));
    }
  });

  it("is all there is: nothing changes or takes away an entry", async () => {
    const { id } = await newSession(kioku.api);
    await append(kioku.api, id, [note("a"), note("b")]);
    const before = await wholeThread(kioku.api, id);
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      for (const path of ["thread", "thread/1"]) {
        const body = method === "DELETE" ? {} : { body: { entries: [note("c")] } };
        const answer = await kioku.api.call(method, `/v1/sessions/${id}/${path}`, body);
        expect([404, 405], `${method} ${path}`).toContain(answer.status);
      }
    }
    expect(await wholeThread(kioku.api, id)).toEqual(before);
  });
});

describe("reading", () => {
  it("by range includes both ends", async () => {
    const { id } = await newSession(kioku.api);
    await append(kioku.api, id, upTo(30).map(note));
    const range = async (query: string) => {
      const { data, next_seq } = await readThread(kioku.api, id, query);
      return { seqs: seqs(data), next_seq };
    };
    expect(await range("from=3&to=5")).toEqual({ seqs: [3, 4, 5], next_seq: 6 });
    expect(await range("from=7&to=7")).toEqual({ seqs: [7], next_seq: 8 });
    expect(await range("to=2")).toEqual({ seqs: [1, 2], next_seq: 3 });
    expect(await range("from=29")).toEqual({ seqs: [29, 30], next_seq: 31 });
    expect(await range("from=29&to=99")).toEqual({ seqs: [29, 30], next_seq: 31 });
    expect(await range("limit=4")).toEqual({ seqs: [1, 2, 3, 4], next_seq: 5 });
    expect(await range("from=10&to=20&limit=2")).toEqual({ seqs: [10, 11], next_seq: 12 });
    expect(await range("")).toEqual({ seqs: upTo(20), next_seq: 21 });
    expect((await range("from=31")).seqs).toEqual([]);
  });

  it("by kind leaves out the others, page by page", async () => {
    const { id } = await newSession(kioku.api);
    const kinds = ["note", "tool_call", "tool_result", "note", "message"];
    await append(
      kioku.api,
      id,
      upTo(300).map((n) => ({ kind: kinds[n % 5] ?? "note", payload: n })),
    );
    const notes = await wholeThread(kioku.api, id, "kind=note");
    expect(seqs(notes)).toEqual(upTo(300).filter((n) => kinds[n % 5] === "note"));
    const some = await readThread(kioku.api, id, "kind=message&from=10&to=20");
    expect(seqs(some.data)).toEqual([14, 19]);
    expect((await readThread(kioku.api, id, "kind=signal")).data).toEqual([]);
  });

  it.each([
    ...["from=x", "from=-1", "from=1.5", "to=x", "limit=0", "limit=101", "limit=x"],
    "kind=rumour",
  ])("with %s is refused", async (query) => {
    const { id } = await newSession(kioku.api);
    const field = query.split("=")[0] ?? "";
    expectProblem(await kioku.api.get(`/v1/sessions/${id}/thread?${query}`), "invalid_request", field);
  });

  it("of a session nobody has used is a 404, and of a new one is empty", async () => {
    expectProblem(await kioku.api.get(`/v1/sessions/${fresh("nobody")}/thread`), "not_found");
    const { id } = await newSession(kioku.api);
    expect(await readThread(kioku.api, id)).toEqual({ data: [], next_seq: 1 });
  });

  it("gives 10,000 entries back in order, whatever their payload", async () => {
    const { id } = await quietSession(kioku.api);
    const payloads: ((n: number) => unknown)[] = [
      (n) => n,
      (n) => `text ${n}`,
      (n) => ({ n, nested: { list: [n, null, true] } }),
      (n) => [n, "two", { three: n }],
      (n) => n % 2 === 0,
      () => null,
    ];
    const payloadOf = (n: number) => payloads[n % payloads.length]?.(n);
    for (let first = 1; first <= 10_000; first += 500) {
      const entries = upTo(500).map((n) => note(payloadOf(first + n - 1)));
      expect(await append(kioku.api, id, entries)).toEqual({ first_seq: first, last_seq: first + 499 });
    }
    const thread = await wholeThread(kioku.api, id);
    expect(seqs(thread)).toEqual(upTo(10_000));
    for (const { seq, kind, payload } of thread)
      expect({ seq, kind, payload }).toEqual({ seq, kind: "note", payload: payloadOf(seq) });
    const middle = await readThread(kioku.api, id, "from=4990&to=5010&limit=100");
    expect(middle.data).toEqual(thread.slice(4_989, 5_010));
  });

  it.each([
    "",
    "kind=note",
  ])("on and on with next_seq misses nothing while others write (%j)", async (query) => {
    const { id } = await newSession(kioku.api);
    const read: ThreadEntry[] = [];
    let writing = true;
    async function follow(): Promise<void> {
      for (let from = 1; ; ) {
        const last = !writing;
        const page = await readThread(kioku.api, id, `limit=3&from=${from}&${query}`);
        if (last && page.data.length === 0) return;
        read.push(...page.data);
        from = page.next_seq;
      }
    }
    const following = follow();
    await Promise.all(
      [0, 1].map(async (writer) => {
        for (let n = 0; n < 20; n += 1) {
          await append(kioku.api, id, [{ kind: "tool_call", payload: n }, note(`${writer}:${n}`)]);
        }
      }),
    );
    writing = false;
    await following;
    expect(read).toEqual(await wholeThread(kioku.api, id, query));
    expect(read.filter(({ kind }) => kind === "note")).toHaveLength(40);
  });
});

describe("what happens lands in the thread", () => {
  it("messages, with their tool calls and results, in the order they came", async () => {
    const { id } = await newSession(kioku.api);
    const call = { id: "c1", type: "function", function: { name: "weather", arguments: '{"in":"Oslo"}' } };
    await say(kioku.api, id, [
      user("What is the weather in Oslo?", { id: "m1", name: "Ada" }),
      { id: "m2", role: "assistant", content: "", tool_calls: [call] },
      { id: "m3", role: "tool", name: "weather", content: "Rain" },
      { id: "m4", role: "assistant", content: "It rains." },
    ]);
    const thread = await wholeThread<Fields>(kioku.api, id);
    expect(seqs(thread)).toEqual(upTo(thread.length));
    const of = (kind: string) => thread.filter((entry) => entry.kind === kind);
    const first = of("message")[0];
    expect(first?.payload).toMatchObject({
      id: "m1",
      role: "user",
      name: "Ada",
      content: "What is the weather in Oslo?",
    });
    expect(of("message").at(-1)?.payload).toMatchObject({ id: "m4", content: "It rains." });
    expect(of("tool_call").map(({ payload }) => payload)).toMatchObject([call]);
    expect(of("tool_result").map(({ payload }) => payload)).toMatchObject([{ id: "m3", content: "Rain" }]);
    const place = (kind: string) => thread.findIndex((entry) => entry.kind === kind);
    expect(place("tool_call")).toBeLessThan(place("tool_result"));
  });

  it("messages once, though they are sent twice", async () => {
    const { id } = await newSession(kioku.api);
    const messages = [user("Once", { id: "m1" })];
    for (let n = 0; n < 3; n += 1) await say(kioku.api, id, messages);
    expect(await wholeThread(kioku.api, id)).toHaveLength(1);
  });

  it("messages that have left the window", async () => {
    const token_budget = { total: 2_000, conversation: 1_000, context: 500 };
    const { id } = await quietSession(kioku.api, { token_budget });
    const contents = [..."abcdefghij"];
    await say(
      kioku.api,
      id,
      contents.map((content) => user(content, { token_count: 300 })),
    );
    const thread = await wholeThread<{ content: string }>(kioku.api, id, "kind=message");
    expect(thread.map(({ payload }) => payload.content)).toEqual(contents);
  });

  it("messages that are refused do not", async () => {
    const { id } = await newSession(kioku.api);
    const messages = [user("Good"), { role: "robot", content: "Bad" }];
    expectProblem(await kioku.api.post(`/v1/sessions/${id}/messages`, { messages }), "invalid_request");
    expect(await wholeThread(kioku.api, id)).toEqual([]);
  });

  it("a promotion, as a signal that names the memory", async () => {
    const { id } = await quietSession(kioku.api);
    await propose(kioku.api, id, "The build uses esbuild", { importance_score: 0.9 });
    const { promoted } = await promote(kioku.api, id);
    const signals = await wholeThread(kioku.api, id, "kind=signal");
    expect(signals).toHaveLength(1);
    expect(JSON.stringify(signals[0]?.payload)).toContain(promoted[0]?.memory_id);
  });

  it("a directive's answer, as the signal it is", async () => {
    const { id } = await newSession(kioku.api);
    const directive = { type: "upsert", provider: "inline", items: [{ key: "a", value: 1 }] };
    const answer = await answerTo(kioku.api, id, await direct(kioku.api, id, directive));
    const signals = await wholeThread(kioku.api, id, "kind=signal");
    expect(signals).toHaveLength(1);
    expect(signals[0]?.payload).toMatchObject({ id: answer.id, type: answer.type, data: answer.data });
  });

  it("but reading and refused writes do not", async () => {
    const { id } = await newSession(kioku.api);
    await append(kioku.api, id, [note("only")]);
    for (const part of ["memory", "tasks", "thread", "projectors", "signals"])
      bodyOf(await kioku.api.get(`/v1/sessions/${id}/${part}`), 200);
    const directive = { type: "delete", provider: "nowhere", keys: ["a"] };
    expectProblem(await kioku.api.post(`/v1/sessions/${id}/directives`, directive), "invalid_request");
    expect(await wholeThread(kioku.api, id)).toHaveLength(1);
  });
});
