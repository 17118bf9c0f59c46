// NUL and lone surrogates are refused wherever text enters, and everything else survives unchanged.
import { describe, expect, it } from "vitest";
import { append, change, readContainer, readSpace, wholeThread } from "../cognition/cognition";
import { entriesOf, note } from "../policy/policy";
import { newSession, readMemory, readSession, recall, remember, say } from "../support/actions";
import { fresh } from "../support/client";
import type { Message, Page } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

const DIRTY: [string, string][] = [
  ["NUL", "before\u0000after"],
  ["a lone high surrogate", "before\ud83dafter"],
  ["a lone low surrogate", "before\ude00after"],
];

const SCRIBE = { agent_id: "scribe" };

const TEXT_FIELDS: [
  string,
  (session: string, text: string) => [method: string, path: string, body: unknown],
][] = [
  ["remember's content", (s, text) => ["POST", `/v1/sessions/${s}/remember`, { content: text }]],
  [
    "remember's rationale",
    (s, text) => ["POST", `/v1/sessions/${s}/remember`, { content: "a", rationale: text }],
  ],
  [
    "remember's evidence",
    (s, text) => ["POST", `/v1/sessions/${s}/remember`, { content: "a", evidence: [text] }],
  ],
  ["remember's key", (s, text) => ["POST", `/v1/sessions/${s}/remember`, { content: "a", key: text }]],
  ["recall's query", (s, text) => ["POST", `/v1/sessions/${s}/recall`, { query: text }]],
  ["forget's reason", (s, text) => ["POST", `/v1/sessions/${s}/forget`, { memory_id: "m", reason: text }]],
  [
    "a message",
    (s, text) => ["POST", `/v1/sessions/${s}/messages`, { messages: [{ role: "user", content: text }] }],
  ],
  [
    "a message's name",
    (s, text) => [
      "POST",
      `/v1/sessions/${s}/messages`,
      { messages: [{ role: "user", name: text, content: "a" }] },
    ],
  ],
  ["a context value", (s, text) => ["PUT", `/v1/sessions/${s}/context/framework`, { value: text }]],
  [
    "a nested context value",
    (s, text) => ["PUT", `/v1/sessions/${s}/context/framework`, { value: [{ a: text }] }],
  ],
  [
    "a pending memory",
    (s, text) => ["POST", `/v1/sessions/${s}/pending`, { content: text, memory_type: "fact" }],
  ],
  ["a session's metadata", (s, text) => ["PATCH", `/v1/sessions/${s}`, { metadata: { note: text } }]],
  ["assemble's query", (s, text) => ["POST", `/v1/sessions/${s}/assemble`, { query: text }]],
  ["a space", (s, text) => ["PUT", `/v1/sessions/${s}/spaces/notes`, { data: [{ a: text }] }]],
  ["a space's key", (s, text) => ["PUT", `/v1/sessions/${s}/spaces/notes`, { data: { [text]: 1 } }]],
  [
    "a space's metadata",
    (s, text) => ["PUT", `/v1/sessions/${s}/spaces/notes`, { data: {}, metadata: { text } }],
  ],
  [
    "an operation's value",
    (s, text) => [
      "POST",
      `/v1/sessions/${s}/spaces/world/ops`,
      { ops: [{ op: "put", key: "a", value: [text] }] },
    ],
  ],
  [
    "an operation's key",
    (s, text) => [
      "POST",
      `/v1/sessions/${s}/spaces/world/ops`,
      { ops: [{ op: "put", key: text, value: 1 }] },
    ],
  ],
  ["a task", (s, text) => ["POST", `/v1/sessions/${s}/tasks`, { text }]],
  [
    "the thread",
    (s, text) => [
      "POST",
      `/v1/sessions/${s}/thread`,
      { entries: [{ kind: "note", payload: { a: [text] } }] },
    ],
  ],
  [
    "a directive's item",
    (s, text) => [
      "POST",
      `/v1/sessions/${s}/directives`,
      { type: "upsert", provider: "inline", items: [{ key: "a", value: { text } }] },
    ],
  ],
  [
    "a directive's query",
    (s, text) => ["POST", `/v1/sessions/${s}/directives`, { type: "query", provider: "d1", query: { text } }],
  ],
  [
    "a directive's key",
    (s, text) => ["POST", `/v1/sessions/${s}/directives`, { type: "delete", provider: "d1", keys: [text] }],
  ],
  ["a session's policy", (s, text) => ["PATCH", `/v1/sessions/${s}`, { policy: { metadata: { a: text } } }]],
  ["an agent's policy", (_, text) => ["PUT", "/v1/agents/scribe/policy", { metadata: { [text]: 1 } }]],
  ["an entry", (s, text) => ["POST", "/v1/entries", { ...SCRIBE, session_id: s, content: text }]],
  [
    "an entry's metadata",
    (s, text) => ["POST", "/v1/entries", { ...SCRIBE, session_id: s, content: "a", metadata: { a: [text] } }],
  ],
  [
    "a turn's input",
    (s, text) => ["POST", `/v1/sessions/${s}/turns`, { ...SCRIBE, input: text, output: "a" }],
  ],
  [
    "a turn's output",
    (s, text) => ["POST", `/v1/sessions/${s}/turns`, { ...SCRIBE, input: "a", output: text }],
  ],
  [
    "a turn's request id",
    (s, text) => [
      "POST",
      `/v1/sessions/${s}/turns`,
      { ...SCRIBE, input: "a", output: "a", request_id: text },
    ],
  ],
  ["preflight's input", (s, text) => ["POST", `/v1/sessions/${s}/preflight`, { ...SCRIBE, input: text }]],
  [
    "preflight's instructions",
    (s, text) => ["POST", `/v1/sessions/${s}/preflight`, { ...SCRIBE, input: "a", instructions: text }],
  ],
];

describe.each(DIRTY)("text with %s", (_name, text) => {
  it.each(TEXT_FIELDS)("is refused in %s and changes nothing", async (_field, request) => {
    const before = await newSession(kioku.api);
    const memory = await readContainer(kioku.api, before.id);
    const [method, path, body] = request(before.id, text);
    expectProblem(await kioku.api.call(method, path, { body }), "invalid_request");
    expect(await readSession(kioku.api, before.id)).toEqual(before);
    expect((await readContainer(kioku.api, before.id)).rev).toBe(memory.rev);
    expect(await wholeThread(kioku.api, before.id)).toEqual([]);
  });
});

describe("clean text", () => {
  const texts = [
    "quotes \" ' ` and \\ backslashes \\n \\u0041",
    "line one\nline two\r\n\ttabbed",
    "日本語のテキスト、العربية, עברית, ไทย",
    "😀 👩‍👩‍👧‍👦 🇨🇭 e\u0301",
    "<script>alert(1)</script> & <https://example.org/a#b> %00 $x {{y}}",
    "'; DROP TABLE memories; --",
    // Characters that nobody sees are removed from memories: see test/integration/trust.
    "\u0001\u001f\u007f\uffff",
  ];

  it.each(texts)("comes back as it was sent: %j", async (text) => {
    const content = `start ${text} end`;
    const session = fresh("session");
    const stored = await remember(kioku.api, session, content, { rationale: content, evidence: [content] });
    const read = await readMemory(kioku.api, stored.memory_id);
    expect(read).toMatchObject({ content, rationale: content, evidence: [content] });
    expect((await recall(kioku.api, session)).map((hit) => hit.content)).toEqual([content]);
    await say(kioku.api, session, [{ role: "user", content: text }]);
    const messages = bodyOf(await kioku.api.get<Page<Message>>(`/v1/sessions/${session}/messages`), 200);
    expect(messages.data.map((message) => message.content)).toEqual([text]);
    await change(kioku.api, session, "world", [{ op: "put", key: text, value: { [text]: [text] } }]);
    expect((await readSpace(kioku.api, session, "world")).data).toEqual({ [text]: { [text]: [text] } });
    await append(kioku.api, session, [{ kind: "note", payload: { [text]: text } }]);
    expect((await wholeThread(kioku.api, session)).at(-1)?.payload).toEqual({ [text]: text });
    const agent = fresh("agent");
    const entry = await note(kioku.api, agent, content, { metadata: { [text]: text } });
    expect(await entriesOf(kioku.api, `agent:${agent}`)).toEqual([entry]);
    expect(entry).toMatchObject({ content, metadata: { [text]: text } });
  });
});
