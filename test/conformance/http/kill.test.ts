// What was acknowledged before kill -9 holds after it: messages, handoffs, idempotency keys. crash.test.ts kills under load.
import { expect, it, vi } from "vitest";
import { readContainer, signalsOf, wholeThread } from "../cognition/cognition";
import { acknowledge, handOff } from "../experience/handover";
import { entriesOf } from "../policy/policy";
import {
  allPages,
  contents,
  memoriesOf,
  newSession,
  promote,
  propose,
  quietSession,
  recallSaid,
  say,
} from "../support/actions";
import { fresh } from "../support/client";
import type { Message, MessagesRecalled } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { ownServer } from "../support/http-service";

const kioku = ownServer();

function under(key: string): Record<string, string> {
  return { "idempotency-key": key };
}

it("every acknowledged message is found: in its session at once, in its agent's scope soon", async () => {
  const agent_id = fresh("agent");
  const [asked, untouched] = [await newSession(kioku.api, { agent_id }), fresh("session")];
  await newSession(kioku.api, { id: untouched, agent_id });
  const words = Array.from({ length: 30 }, (_, n) => `walrus${n}`);
  for (const word of words) {
    const messages = [{ role: "user", content: `Meet ${word}` }];
    await Promise.all([asked.id, untouched].map((id) => say(kioku.api, id, messages)));
  }
  await kioku.kill9();
  await kioku.restart();
  for (const word of words) {
    const [first] = await recallSaid(kioku.api, asked.id, { query: word, mode: "text" });
    expect(first?.content).toBe(`Meet ${word}`);
  }
  const inScope = { sources: ["messages"], mode: "text", agent_id, limit: 50, query: words.at(-1) };
  await vi.waitFor(
    async () => {
      const { memories } = bodyOf(await kioku.api.post<MessagesRecalled>("/v1/recall", inScope), 200);
      const sessions = memories.slice(0, 2).map(({ session_id }) => session_id);
      expect(sessions.sort()).toEqual([asked.id, untouched].sort());
    },
    { interval: 50 },
  );
});

it("a handoff that was taken stays taken, and its key still gets the first answer", async () => {
  const { id } = await handOff(kioku.api, fresh("qa"));
  const key = under(fresh("key"));
  const first = bodyOf(await acknowledge(kioku.api, id, "winner", key), 200);
  await kioku.kill9();
  await kioku.restart();
  expect(bodyOf(await acknowledge(kioku.api, id, "winner", key), 200)).toEqual(first);
  expectProblem(await acknowledge(kioku.api, id, "winner"), "conflict");
});

it("the answer under an idempotency key is the same, and the work stays done once", async () => {
  const { api } = kioku;
  const session = fresh("session");
  const at = `/v1/sessions/${session}`;
  const key = fresh("key");
  const messages = { messages: [{ role: "user", content: "Once" }] };
  await quietSession(api, { id: session, policy: { capture: "conversation", namespace: "diary" } });
  await propose(api, session, "Promoted once", { importance_score: 0.9 });
  const calls: [string, unknown][] = [
    [`${at}/remember`, { content: "Once" }],
    [`${at}/messages`, messages],
    [`${at}/promote`, {}],
    ["/v1/sessions", { agent_id: "scribe" }],
    ["/v1/remember", { agent_id: "scribe", content: "Once" }],
    [`${at}/spaces/world/ops`, { ops: [{ op: "put", key: "a", value: 1 }] }],
    [`${at}/tasks`, { text: "Once" }],
    [`${at}/thread`, { entries: [{ kind: "note", payload: "Once" }] }],
    [`${at}/projectors/summary/run`, {}],
    [`${at}/directives`, { type: "upsert", provider: "d1", items: [{ key: "a", value: 1 }] }],
    [`${at}/turns`, { agent_id: "scribe", input: "Once", output: "Said" }],
    ["/v1/entries", { agent_id: "scribe", content: "Written once", namespace: "diary" }],
  ];
  const before = [];
  for (const [path, body] of calls) before.push(await api.post(path, body, under(key)));
  await kioku.kill9();
  await kioku.restart();
  for (const [n, [path, body]] of calls.entries()) {
    const first = before[n];
    expect(first?.status, path).toBeLessThan(300);
    expect(await api.post(path, body, under(key))).toMatchObject({
      status: first?.status,
      body: first?.body,
    });
  }
  expect(contents(await allPages<Message>(api, `${at}/messages`))).toEqual(["Once"]);
  const turn = "User: Once\nAssistant: Said";
  expect(contents(await memoriesOf(api, session)).sort()).toEqual(["Once", "Promoted once", turn]);
  expect(contents(await entriesOf(api, "diary")).sort()).toEqual([turn, "Written once"]);
  expect(await allPages(api, "/v1/sessions?agent_id=scribe")).toHaveLength(1);
  expect((await promote(api, session)).promoted).toEqual([]);
  expect((await readContainer(api, session)).spaces.tasks?.data).toMatchObject([{ text: "Once" }]);
  expect((await wholeThread(api, session, "kind=note")).map(({ payload }) => payload)).toEqual(["Once"]);
  const results = (await signalsOf(api, session)).filter(({ type }) => type === "jido.memory.result");
  expect(results).toHaveLength(1);
});
