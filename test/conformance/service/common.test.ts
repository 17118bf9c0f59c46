// What holds for every call: health, problems, headers, ids, times, sizes.
import { describe, expect, it } from "vitest";
import { newSession, readSession, remember } from "../support/actions";
import { fresh } from "../support/client";
import { ID, ISO_MS, type MessagesAdded, type Session } from "../support/contract";
import { bodyOf, expectNoInternals, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

const MEBIBYTE = 2 ** 20;

/** A valid call to add one message, padded with white space to exactly this many bytes. */
function messageOfSize(bytes: number): string {
  const body = JSON.stringify({ messages: [{ role: "user", content: "hello" }] });
  return body + " ".repeat(bytes - body.length);
}

function streamOf(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 65_536) controller.enqueue(bytes.slice(at, at + 65_536));
      controller.close();
    },
  });
}

describe("health", () => {
  it("answers ok and a version without a key", async () => {
    const health = bodyOf(await kioku.anonymous.get<{ status: string; version: string }>("/health"), 200);
    expect(health).toMatchObject({ status: "ok", version: expect.stringMatching(/\d/) });
  });
});

describe("problems", () => {
  it("answer an unknown path with not_found", async () => {
    expectProblem(await kioku.api.get("/v1/nothing-here"), "not_found");
  });

  it("answer a body that is not JSON with invalid_request", async () => {
    for (const raw of ["{", "nonsense", '{"content": }', "[1,"]) {
      expectProblem(await kioku.api.call("POST", "/v1/recall", { raw }), "invalid_request");
    }
  });

  it("answer JSON of the wrong kind with invalid_request", async () => {
    for (const body of [[], "text", 7, null, true]) {
      expectProblem(await kioku.api.post("/v1/recall", body), "invalid_request");
    }
  });

  it("name the field that is wrong, however deep", async () => {
    const answer = await kioku.api.post("/v1/sessions", { promotion: { interval_ms: 10 } });
    expectProblem(answer, "invalid_request", /promotion.*interval_ms/);
  });

  it("name every field that is wrong", async () => {
    const answer = await kioku.api.post("/v1/remember", {
      session_id: fresh("s"),
      content: "",
      confidence: "sure",
      type: "poem",
    });
    for (const field of ["content", "confidence", "type"]) expectProblem(answer, "invalid_request", field);
  });

  it("refuse a misspelled field instead of ignoring it", async () => {
    expectProblem(await kioku.api.post("/v1/sessions", { agnt_id: "a" }), "invalid_request");
    expectProblem(await kioku.api.post("/v1/recall", { quary: "a" }), "invalid_request");
  });

  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const nested: [string, string, string, string][] = [
    ["a context value", "PUT", "context/framework", `{"value":${deep}}`],
    ["a space", "PUT", "spaces/notes", `{"data":${deep}}`],
    ["an operation", "POST", "spaces/world/ops", `{"ops":[{"op":"put","key":"a","value":${deep}}]}`],
    ["an entry", "POST", "thread", `{"entries":[{"kind":"note","payload":${deep}}]}`],
    [
      "a directive",
      "POST",
      "directives",
      `{"type":"upsert","provider":"inline","items":[{"key":"a","value":${deep}}]}`,
    ],
    ["a preflight", "POST", "preflight", `{"input":"a","agent_id":"a","context":{"a":${deep}}}`],
    ["a turn", "POST", "turns", `{"input":"a","output":"b","agent_id":"a","context":{"a":${deep}}}`],
  ];
  it.each(
    nested,
  )("answer %s nested deeper than anybody means, and do not fail", async (_name, method, part, raw) => {
    const { id } = await newSession(kioku.api);
    const answer = await kioku.api.call(method, `/v1/sessions/${id}/${part}`, { raw });
    expect(answer.status, answer.text.slice(0, 200)).toBeLessThan(500);
    bodyOf(await kioku.api.get(`/v1/sessions/${id}/memory`), 200);
  });

  it("never answer a body sent as text by ignoring it", async () => {
    const id = fresh("session");
    const headers = { "content-type": "text/plain" };
    const answer = await kioku.api.call<Session>("POST", "/v1/sessions", {
      raw: JSON.stringify({ id }),
      headers,
    });
    if (answer.status === 201) expect(answer.body.id).toBe(id);
    else expect([400, 415, 422]).toContain(answer.status);
  });

  it("show no stack and no SQL for broken escapes in a path", async () => {
    for (const path of ["/v1/sessions/%ff", "/v1/sessions/%", "/v1/memories/%00", "/v1/sessions/a%2Fb"]) {
      const answer = await kioku.api.get(path);
      expect([400, 404]).toContain(answer.status);
      expectNoInternals(answer.text);
    }
  });
});

describe("headers", () => {
  it("carry X-Request-Id and Server-Timing on every answer, errors too", async () => {
    const readOnly = await kioku.tenant({ scopes: ["read"] });
    const existing = await newSession(kioku.api);
    const big = { raw: messageOfSize(MEBIBYTE + 1) };
    const answers = [
      await kioku.anonymous.get("/health"),
      await kioku.anonymous.get("/openapi.json"),
      await kioku.api.get(`/v1/sessions/${existing.id}`),
      await kioku.api.post("/v1/sessions", {}),
      await kioku.api.put(`/v1/sessions/${existing.id}/context/framework`, { value: "Hono" }),
      await kioku.api.delete(`/v1/sessions/${existing.id}/context/framework`),
      await kioku.api.post("/v1/recall", {}),
      await kioku.api.post("/v1/recall", { limit: 0 }),
      await kioku.anonymous.get("/v1/sessions"),
      await readOnly.post("/v1/sessions", {}),
      await kioku.api.get(`/v1/sessions/${fresh("nobody")}`),
      await kioku.api.get("/no/such/path"),
      await kioku.api.post("/v1/sessions", { id: existing.id }),
      await kioku.api.call("POST", `/v1/sessions/${existing.id}/messages`, big),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([
      ...[200, 200, 200, 201, 200, 204, 200, 400, 401, 403, 404, 404, 409, 413],
    ]);
    for (const answer of answers) {
      const where = `${answer.method} ${answer.path}`;
      expect(answer.headers.get("x-request-id"), where).toMatch(/\S/);
      expect(answer.headers.get("server-timing"), where).toMatch(/\w+.*;\s*dur=[\d.]+/);
    }
    expect(new Set(answers.map((answer) => answer.headers.get("x-request-id"))).size).toBe(answers.length);
  });
});

describe("sizes", () => {
  it("accept a body of exactly 1 MiB", async () => {
    const session = await newSession(kioku.api);
    const path = `/v1/sessions/${session.id}/messages`;
    const answer = await kioku.api.call<MessagesAdded>("POST", path, { raw: messageOfSize(MEBIBYTE) });
    expect(bodyOf(answer, 201).added).toBe(1);
  });

  it("refuse one byte more with payload_too_large, and change nothing", async () => {
    const session = await newSession(kioku.api);
    const path = `/v1/sessions/${session.id}/messages`;
    expectProblem(
      await kioku.api.call("POST", path, { raw: messageOfSize(MEBIBYTE + 1) }),
      "payload_too_large",
    );
    expect((await readSession(kioku.api, session.id)).counts.messages).toBe(0);
  });

  it("refuse too large a body that does not announce its length", async () => {
    const session = await newSession(kioku.api);
    const path = `/v1/sessions/${session.id}/messages`;
    const answer = await kioku.api.call("POST", path, { raw: streamOf(messageOfSize(MEBIBYTE + 1)) });
    expectProblem(answer, "payload_too_large");
    expect((await readSession(kioku.api, session.id)).counts.messages).toBe(0);
  });

  it("count the bytes of a body, not its characters", async () => {
    const content = "字".repeat(400_000);
    expectProblem(
      await kioku.api.post(`/v1/sessions/${fresh("s")}/remember`, { content }),
      "payload_too_large",
    );
  });
});

describe("ids", () => {
  const bad = ["a b", "a.b", "é", "a:b", "a".repeat(129), ""];

  it("of 1 to 128 letters, digits, _ and - are accepted", async () => {
    const id = `${fresh("Z_9-")}${"x".repeat(128)}`.slice(0, 128);
    expect(bodyOf(await kioku.api.post<Session>("/v1/sessions", { id }), 201).id).toBe(id);
    expect((await readSession(kioku.api, id)).id).toBe(id);
  });

  it.each([
    "id",
    "agent_id",
    "project_id",
    "continues",
  ])("of any other form are refused as %s, by name", async (field) => {
    for (const value of bad) {
      expectProblem(await kioku.api.post("/v1/sessions", { [field]: value }), "invalid_request", field);
    }
  });

  it("of any other form are refused in a path", async () => {
    for (const value of bad.filter((id) => id !== "")) {
      expectProblem(
        await kioku.api.get(`/v1/sessions/${encodeURIComponent(value)}`),
        "invalid_request",
        "id",
      );
      expectProblem(
        await kioku.api.get(`/v1/memories/${encodeURIComponent(value)}`),
        "invalid_request",
        "id",
      );
    }
  });

  it("of any other form are refused in a query and a body", async () => {
    expectProblem(await kioku.api.get("/v1/sessions?agent_id=a%20b"), "invalid_request", "agent_id");
    expectProblem(await kioku.api.get("/v1/memories?session_id=a%20b"), "invalid_request", "session_id");
    expectProblem(await kioku.api.post("/v1/recall", { project_id: "a b" }), "invalid_request", "project_id");
  });

  it("made by the service follow the same rule", async () => {
    const session = bodyOf(await kioku.api.post<Session>("/v1/sessions", {}), 201);
    expect(session.id).toMatch(ID);
    expect((await remember(kioku.api, session.id, "An id for this")).memory_id).toMatch(ID);
  });
});

describe("times", () => {
  it("are UTC with milliseconds", async () => {
    const before = Date.now();
    const session = await newSession(kioku.api);
    expect(session.created_at).toMatch(ISO_MS);
    expect(session.updated_at).toMatch(ISO_MS);
    expect(Math.abs(Date.parse(session.created_at) - before)).toBeLessThan(60_000);
  });
});
