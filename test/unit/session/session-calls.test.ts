// What the calls on a session declare, and how the caller's side applies it.
import { describe, expect, it } from "vitest";
import { OPEN_ACCESS } from "../../../src/kernel/access";
import { ok, type Result } from "../../../src/kernel/errors";
import { BUILT_IN_ONTOLOGY } from "../../../src/ontology/tenant-ontology";
import { SESSION_CALLS, type SessionCalls } from "../../../src/sessions/session-calls";
import { createSessionClient } from "../../../src/sessions/session-client";
import type { SessionRef } from "../../../src/sessions/session-record";
import type { SessionRpc } from "../../../src/sessions/session-rpc";
import { createMaskCollector } from "../../../src/trust/privacy/privacy-gate";
import { DEFAULT_PRIVACY_RULES } from "../../../src/trust/privacy/privacy-policy";
import { listExceeded, NO_USAGE, type QuotaKind } from "../../../src/trust/quotas";

const ref = { tenant: "t", id: "s" };
const REVISIONS = {};

type Options = { exceeded?: QuotaKind[]; exists?: boolean; answer?: Result<unknown> };

/** A client of a session whose object answers every call with `answer`, and what the client has done. */
function openClient({ exceeded = [], exists = true, answer = ok(null) }: Options = {}) {
  const events: string[] = [];
  const refs: SessionRef[] = [];
  const object = Object.fromEntries(
    Object.keys(SESSION_CALLS).map((name) => [
      name,
      async (sent: SessionRef) => {
        events.push(name);
        refs.push(sent);
        return name === "getSettings" ? ok(exists ? {} : null) : { ...answer, bookmark: `after ${name}` };
      },
    ]),
  ) as unknown as SessionRpc;
  const used = Object.fromEntries(exceeded.map((kind) => [kind, 1]));
  const client = createSessionClient({
    object,
    rules: { privacy: DEFAULT_PRIVACY_RULES, ontology: BUILT_IN_ONTOLOGY },
    exceeded: listExceeded({ ...NO_USAGE, ...used }, { ...NO_USAGE, ...used }),
    check: { noteEffect: () => events.push("effect") },
    masked: createMaskCollector(),
    noteBookmark: (bookmark) => bookmark !== null && events.push(bookmark),
    requestCompaction: async () => {
      events.push("compaction");
    },
  });
  return { client, events, refs };
}

describe("a declaration", () => {
  it("is needed for every call", () => {
    // @ts-expect-error: `archive` is not declared.
    const missing: SessionCalls<SessionRpc & { archive(ref: SessionRef): Promise<Result<null>> }> =
      SESSION_CALLS;
    // @ts-expect-error: a write declares whether it creates the session, and what it masks.
    const partial: SessionCalls<Pick<SessionRpc, "remember">> = { remember: { writes: true } };
    expect([missing, partial]).toHaveLength(2);
  });

  it("makes every call a method of the client, and nothing else", () => {
    const { client } = openClient();
    for (const name of Object.keys(SESSION_CALLS)) expect(name in client, name).toBe(true);
    expect("archive" in client).toBe(false);
    expect("then" in client).toBe(false);
  });
});

describe("the client of a session", () => {
  it("notes an effect for a write, and none for a read", async () => {
    const { client, events } = openClient();
    await client.getSpaces(ref);
    await client.prepareRecall(ref, { messages: true });
    await client.findLastSeq(ref);
    expect(events).not.toContain("effect");
    await client.promote(ref, null);
    expect(events.slice(-3)).toEqual(["effect", "promote", "after promote"]);
  });

  it("sends the tenant's rules", async () => {
    const { client, refs } = openClient();
    await client.get(ref);
    expect(refs).toEqual([{ ...ref, rules: DEFAULT_PRIVACY_RULES, ontology: BUILT_IN_ONTOLOGY.version }]);
  });

  it("refuses to create a session beyond the quota of sessions, and serves one that exists", async () => {
    const noSessions = { ok: false, failure: { code: "limit_exceeded" } };
    const put = { value: "vim", source: "explicit", confidence: 1 } as const;
    const unknown = openClient({ exceeded: ["sessions"], exists: false });
    expect(await unknown.client.putContext(ref, "editor", put)).toMatchObject(noSessions);
    expect(unknown.events).toEqual(["getSettings"]);
    const known = openClient({ exceeded: ["sessions"] });
    expect(await known.client.putContext(ref, "editor", put)).toEqual(ok(null));
    expect(known.events).toEqual(["getSettings", "effect", "putContext", "after putContext"]);
    // A call that creates no session is not refused.
    expect(await unknown.client.deleteContext(ref, "editor")).toEqual(ok(null));
  });

  it("refuses a call beyond the quotas that it declares, and no other", async () => {
    const { client, events } = openClient({ exceeded: ["messages"] });
    expect(await client.addMessages(ref, [], null, OPEN_ACCESS)).toMatchObject({ ok: false });
    expect(events).toEqual([]);
    expect(await client.remember(ref, [])).toEqual(ok(null));
  });

  it("requests compaction after a deletion that succeeded", async () => {
    const requests = async (run: (client: SessionRpc) => Promise<unknown>, options?: Options) => {
      const { client, events } = openClient(options);
      await run(client);
      return events.includes("compaction");
    };
    const change = (op: object) => (client: SessionRpc) =>
      client.changeSpace(ref, "notes", [op as never], REVISIONS, null);
    const direct = (type: string) => (client: SessionRpc) =>
      client.acceptDirective(ref, { type } as never, null);
    expect(await requests((client) => client.deleteContext(ref, "editor"))).toBe(true);
    expect(await requests((client) => client.erase(ref, { memories: true }))).toBe(true);
    expect(await requests((client) => client.deleteSpace(ref, "notes", REVISIONS))).toBe(true);
    expect(await requests((client) => client.removeTask(ref, "one", REVISIONS))).toBe(true);
    expect(await requests(change({ op: "remove" }))).toBe(true);
    expect(await requests(change({ op: "set" }))).toBe(false);
    expect(await requests(direct("delete"))).toBe(true);
    expect(await requests(direct("upsert"))).toBe(false);
    expect(await requests((client) => client.promote(ref, null))).toBe(false);
    const failed: Result<unknown> = { ok: false, failure: { code: "not_found", detail: "" } };
    expect(await requests((client) => client.deleteContext(ref, "editor"), { answer: failed })).toBe(false);
  });
});
