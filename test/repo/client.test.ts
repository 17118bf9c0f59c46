// The client against a fetch of ours: what it sends, when it tries again, when it gives up, and what it says then.
import { isKiokuError, Kioku, type KiokuError, type KiokuOptions } from "kioku/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

type Sent = { method: string; url: string; headers: Headers; body: string | null };
type Reply = Response | Error | "never" | "endless";

const KEY = "kioku_secret";
const HEALTH = { status: "ok", version: "0" };

function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });
}

function problem(status: number, code: string, headers: Record<string, string> = {}): Response {
  return json({ type: "t", title: "t", status, code, detail: `It is ${code}` }, status, headers);
}

/** A client whose requests are kept, and answered by these in turn. */
function clientOf(replies: Reply[], options: KiokuOptions = {}) {
  const sent: Sent[] = [];
  const send: typeof fetch = async (url, init = {}) => {
    const { method = "GET", headers, body, signal } = init;
    sent.push({ method, url: String(url), headers: new Headers(headers), body: body as string | null });
    const reply = replies.shift() ?? new Error("no reply is left");
    if (reply instanceof Error) throw reply;
    if (reply instanceof Response) return reply;
    const aborted = new Promise<never>((_, reject) =>
      signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError"))),
    );
    return reply === "never" ? aborted : new Response(new ReadableStream({ pull: () => aborted }));
  };
  return {
    sent,
    kioku: new Kioku({ url: "https://kioku.example/base/", key: KEY, fetch: send, ...options }),
  };
}

async function failureOf(work: Promise<unknown>): Promise<KiokuError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!isKiokuError(error)) throw new Error(`not a KiokuError: ${error}`);
  return error;
}

describe("a bookmark", () => {
  const BOOKMARK = "x-kioku-bookmark";

  it("of an answer is sent with the next calls, the greatest of all, whatever order they come in", async () => {
    const { kioku, sent } = clientOf([
      json({}, 200, { [BOOKMARK]: "000000.0002.DB.0123456789abcdef" }),
      json({}, 200, { [BOOKMARK]: "000000.0001.DB.0123456789abcdef" }),
      problem(404, "not_found", { [BOOKMARK]: "000000.0003.DB.0123456789abcdef" }),
      json({}),
      json({}),
    ]);
    await kioku.remember({ content: "x" });
    await kioku.recall({ query: "x" });
    await failureOf(kioku.memories.get("x"));
    await kioku.recall({ query: "x" });
    await kioku.recall({ query: "x" }, { headers: { [BOOKMARK]: "mine" } });
    expect(sent.map(({ headers }) => headers.get(BOOKMARK))).toEqual([
      null,
      "000000.0002.DB.0123456789abcdef",
      "000000.0002.DB.0123456789abcdef",
      "000000.0003.DB.0123456789abcdef",
      "mine",
    ]);
  });
});

describe("a request", () => {
  it("carries the key, goes below the given address, and says what it sends", async () => {
    const { kioku, sent } = clientOf([json({ remembered: true })], { headers: { "x-team": "blue" } });
    await kioku.session("a b/c").remember({ content: "x" });
    const [{ method, url, headers, body } = {} as Sent] = sent;
    expect({ method, url, body }).toEqual({
      method: "POST",
      url: "https://kioku.example/base/v1/sessions/a%20b%2Fc/remember",
      body: '{"content":"x"}',
    });
    expect(headers.get("authorization")).toBe(`Bearer ${KEY}`);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("x-team")).toBe("blue");
  });

  it("leaves out of a query what is undefined", async () => {
    const { kioku, sent } = clientOf([json({ data: [], next_cursor: null })]);
    await kioku.memories.list({ type: "fact", agent_id: undefined }).page({ limit: 5 });
    expect(sent[0]?.url).toBe("https://kioku.example/base/v1/memories?limit=5&type=fact");
  });

  it("has an idempotency key of its own when it is a POST, and none else", async () => {
    const { kioku, sent } = clientOf([json({}), json({}), json({})]);
    await kioku.recall({ query: "x" });
    await kioku.recall({ query: "x" });
    await kioku.health();
    const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).not.toBe(keys[0]);
    expect(keys[2]).toBeNull();
  });

  it("can be any call, by its method and path", async () => {
    const { kioku, sent } = clientOf([json({ waiting: 0 }), json({ any: 1 })]);
    await kioku.request("GET", "/v1/admin/index", { query: { tenant: "acme" } });
    expect(await kioku.request("POST", "/v9/later", { body: { a: 1 } })).toEqual({ any: 1 });
    expect(sent.map(({ url }) => url)).toEqual([
      "https://kioku.example/base/v1/admin/index?tenant=acme",
      "https://kioku.example/base/v9/later",
    ]);
  });

  it("is not sent with an id that would make it another request", async () => {
    const { kioku, sent } = clientOf([]);
    for (const id of ["", ".", ".."])
      expect(await failureOf(kioku.memories.delete(id))).toMatchObject({
        code: "invalid_request",
        errors: [{ path: "id" }],
      });
    expect(sent).toEqual([]);
  });
});

describe("a client", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("takes its address and its key from the environment", async () => {
    vi.stubEnv("KIOKU_URL", "http://127.0.0.1:1");
    vi.stubEnv("KIOKU_API_KEY", "kioku_env");
    const { kioku, sent } = clientOf([json(HEALTH)], { url: undefined, key: undefined });
    await kioku.health();
    expect(sent[0]?.url).toBe("http://127.0.0.1:1/health");
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer kioku_env");
  });

  it("is not made without them, or with nonsense, and says which field to mend", () => {
    vi.stubEnv("KIOKU_URL", "");
    vi.stubEnv("KIOKU_API_KEY", "");
    const url = "http://127.0.0.1:1";
    const bad: [KiokuOptions, string][] = [
      [{ url: "", key: KEY }, "url: must be the service's address, as in http://127.0.0.1:8787"],
      [{ url }, "key: is missing. Give it to new Kioku({ url, key }), or set KIOKU_API_KEY"],
      [{ url: "127.0.0.1:8787", key: KEY }, "url: must be the service's address"],
      [{ url: "http://ada:pw@127.0.0.1:1", key: KEY }, "url: must have no user name and no password"],
      [{ url, key: KEY, retries: -1 }, "retries: must be a number of at least 0"],
      [{ url, key: KEY, timeout_ms: Number.NaN }, "timeout_ms: must be a number of at least 1"],
    ];
    for (const [options, message] of bad) expect(() => new Kioku(options)).toThrow(message);
  });

  it("does not repeat a key that cannot be sent", () => {
    expect(() => new Kioku({ url: "http://127.0.0.1:1", key: "kioku_secret\n" })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("kioku_secret") }),
    );
  });
});

describe("with time standing still, a call that fails", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ["in the network", new TypeError("fetch failed")],
    ["with a 500", problem(500, "internal")],
    ["with a 503", problem(503, "unavailable")],
    ["in a proxy", new Response("<html>Bad gateway</html>", { status: 502 })],
  ])("%s is sent again with the same key until it succeeds", async (_, reply) => {
    const again = reply instanceof Error ? reply : reply.clone();
    const { kioku, sent } = clientOf([reply, again, json({ count: 0, memories: [] })]);
    const work = kioku.recall({ query: "x" });
    await vi.runAllTimersAsync();
    expect(await work).toEqual({ count: 0, memories: [] });
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ headers }) => headers.get("idempotency-key"))).size).toBe(1);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
  });

  it("waits longer after each failure, and gives up after so many retries", async () => {
    const { kioku, sent } = clientOf(Array.from({ length: 9 }, () => problem(503, "unavailable")));
    const work = failureOf(kioku.health());
    const waits: number[] = [];
    for (let last = Date.now(); vi.getTimerCount() > 0 || sent.length === 0; ) {
      await vi.advanceTimersToNextTimerAsync();
      if (Date.now() > last) waits.push(Date.now() - last);
      last = Date.now();
    }
    expect(await work).toMatchObject({ code: "unavailable", status: 503 });
    expect(sent).toHaveLength(4);
    expect(waits).toHaveLength(3);
    for (const [i, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(125 * 2 ** i - 1);
      expect(wait).toBeLessThanOrEqual(250 * 2 ** i);
    }
  });

  it("waits as long as Retry-After says", async () => {
    const { kioku, sent } = clientOf([problem(429, "rate_limited", { "retry-after": "7" }), json(HEALTH)]);
    const work = kioku.health();
    await vi.advanceTimersByTimeAsync(6_999);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await work).toEqual(HEALTH);
  });

  it("is left to the caller when Retry-After asks for more than a minute", async () => {
    const { kioku, sent } = clientOf([problem(429, "rate_limited", { "retry-after": "3600" })]);
    expect(await failureOf(kioku.health())).toMatchObject({
      code: "rate_limited",
      retry_after_seconds: 3_600,
    });
    expect(sent).toHaveLength(1);
  });

  it.each([
    [400, "invalid_request"],
    [401, "unauthorized"],
    [403, "forbidden"],
    [404, "not_found"],
    [409, "conflict"],
    [413, "payload_too_large"],
    [422, "unprocessable"],
    [429, "limit_exceeded"],
    [503, "not_configured"],
  ])("with %i %s is not sent again: it would fail again", async (status, code) => {
    const { kioku, sent } = clientOf([problem(status, code)]);
    expect(await failureOf(kioku.health())).toMatchObject({ code, status, detail: `It is ${code}` });
    expect(sent).toHaveLength(1);
  });

  it("to answer in time is tried again, then told as a timeout", async () => {
    const { kioku, sent } = clientOf(["never", "never"], { timeout_ms: 5_000, retries: 1 });
    const work = failureOf(kioku.health());
    await vi.runAllTimersAsync();
    expect(await work).toMatchObject({ code: "timeout", status: 0, detail: "No answer within 5000 ms" });
    expect(sent).toHaveLength(2);
  });

  it("to finish its answer in time counts as late too", async () => {
    const { kioku } = clientOf(["endless"], { retries: 0, timeout_ms: 10 });
    const work = failureOf(kioku.health());
    await vi.advanceTimersByTimeAsync(10);
    expect(await work).toMatchObject({ code: "timeout" });
  });

  it("ends with the caller's own reason when they abort, also while it waits", async () => {
    for (const reply of ["never", problem(503, "unavailable")] as const) {
      const { kioku, sent } = clientOf([reply]);
      const controller = new AbortController();
      const work = kioku.recall({ query: "x" }, { signal: controller.signal });
      const ended = expect(work).rejects.toThrow("enough");
      await vi.advanceTimersByTimeAsync(50);
      controller.abort(new Error("enough"));
      await ended;
      expect(sent).toHaveLength(1);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it("never starts when its signal is aborted already", async () => {
    const { kioku, sent } = clientOf([]);
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(kioku.recall({ query: "x" }, { signal })).rejects.toThrow("too late");
    expect(sent).toEqual([]);
  });
});

describe("an error", () => {
  it("says where nobody answered and why, and never with which key", async () => {
    const refused = Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });
    const { kioku } = clientOf([refused], { retries: 0 });
    const error = await failureOf(kioku.health());
    expect(error).toMatchObject({ code: "network", detail: "No answer from kioku.example: ECONNREFUSED" });
    expect(JSON.stringify(error) + error.stack).not.toContain(KEY);
  });

  it("is told from others by its code", async () => {
    const { kioku } = clientOf([problem(404, "not_found")]);
    const error: unknown = await failureOf(kioku.health());
    expect(isKiokuError(error)).toBe(true);
    expect(isKiokuError(error, "not_found")).toBe(true);
    expect(isKiokuError(error, "conflict")).toBe(false);
    expect(isKiokuError(new Error("not_found"))).toBe(false);
  });

  it("says so when the address is of something else", async () => {
    const { kioku, sent } = clientOf([new Response("<html>Hello</html>")]);
    expect((await failureOf(kioku.health())).detail).toMatch(/Is `url` the address of a Kioku service\?/);
    expect(sent).toHaveLength(1);
  });

  it("that is no failure of a call is thrown by try as well", async () => {
    const { kioku } = clientOf([]);
    const broken = kioku.try(async () => {
      throw new RangeError("mine");
    });
    await expect(broken).rejects.toThrow(RangeError);
  });
});

describe("a stream of signals", () => {
  const signal = (seq: number) => ({ specversion: "1.0", id: `s${seq}`, type: "t", data: "é", seq });
  const event = (seq: number, end = "\n") =>
    `id: ${seq}${end}data: ${JSON.stringify(signal(seq))}${end}${end}`;

  /** An answer in pieces of so many bytes, wherever they fall, which then ends or breaks off. */
  function stream(text: string, size: number, end: "ends" | "breaks" | "stays" = "ends"): Response {
    const bytes = new TextEncoder().encode(text);
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at < bytes.length) {
          controller.enqueue(bytes.slice(at, at + size));
          at += size;
        } else if (end === "ends") controller.close();
        else if (end === "breaks") controller.error(new TypeError("terminated"));
        else return new Promise(() => undefined);
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** So many signals, with the clock running; then the stream is left. */
  async function take(kioku: Kioku, count: number, options = {}) {
    const seqs: number[] = [];
    const clock = setInterval(() => vi.advanceTimersByTime(1_000), 1);
    try {
      for await (const { seq } of kioku.session("s").signals.stream(options)) {
        seqs.push(seq);
        if (seqs.length === count) break;
      }
    } finally {
      clearInterval(clock);
    }
    return seqs;
  }

  it("reads events however their bytes arrive", async () => {
    for (const end of ["\n", "\r\n"])
      for (const size of [1, 2, 7, 1_000]) {
        const text = `retry: 1000${end}${end}:${end}${end}${event(1, end)}${event(2, end)}`;
        const { kioku } = clientOf([stream(text, size, "stays")]);
        expect(await take(kioku, 2)).toEqual([1, 2]);
      }
  });

  it("comes back where it was cut off, and misses and repeats nothing", async () => {
    const half = event(3).slice(0, -5);
    const { kioku, sent } = clientOf([
      stream(event(1) + event(2) + half, 9, "breaks"),
      new TypeError("fetch failed"),
      problem(503, "unavailable"),
      stream(event(3), 9),
      stream(event(4), 9, "stays"),
    ]);
    expect(await take(kioku, 4, { after: 0 })).toEqual([1, 2, 3, 4]);
    expect(sent.map(({ headers }) => headers.get("last-event-id"))).toEqual(["0", "2", "2", "2", "3"]);
    expect(sent[0]?.headers.get("accept")).toBe("text/event-stream");
  });

  it("ends when its signal aborts, and lets go of the connection", async () => {
    const controller = new AbortController();
    const answer = stream(event(1), 9, "stays");
    const { kioku } = clientOf([answer]);
    const seqs: number[] = [];
    for await (const { seq } of kioku.session("s").signals.stream({ signal: controller.signal })) {
      seqs.push(seq);
      queueMicrotask(() => controller.abort());
    }
    expect(seqs).toEqual([1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("fails with where to begin, when what it missed is no longer kept", async () => {
    const { kioku, sent } = clientOf([problem(410, "gone")]);
    expect(await failureOf(take(kioku, 1, { after: 3 }))).toMatchObject({
      code: "gone",
      detail: "It is gone",
    });
    expect(sent).toHaveLength(1);
  });

  it("leaves a connection that has fallen silent", async () => {
    const { kioku, sent } = clientOf([stream(event(1), 99, "stays"), stream(event(2), 99, "stays")]);
    expect(await take(kioku, 2)).toEqual([1, 2]);
    expect(sent).toHaveLength(2);
  });
});
