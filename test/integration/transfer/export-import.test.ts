// Export and import as JSON lines: everything is in the file, and comes back as it was.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { RECORD_KINDS } from "../../../src/transfer/export-records";
import { openStore } from "../shards/support";
import { ADMIN_KEY, type Client, callWith, newClient, untilIndexed } from "../support";
import {
  exportRecords,
  exportText,
  fillTenant,
  importText,
  type Line,
  parseLines,
  toExport,
} from "./support";

const ALL = ["read", "write", "admin"];

let source: Client;
let session: string;
/** The export of the source, with its records. */
let text: string;
let records: Line[];

beforeAll(async () => {
  source = await newClient(ALL);
  ({ session } = await fillTenant(source));
  // What only a consolidation proposes.
  await env.DB.prepare(
    "INSERT INTO skill_proposals VALUES (?, 'shop', 'ship', 'p1', '# Ship', 'proposed', ?, NULL)",
  )
    .bind(source.tenant, "2026-01-31T12:00:00.000Z")
    .run();
  await env.DB.prepare("INSERT INTO quotations SELECT tenant, id, ? FROM memories WHERE tenant = ? LIMIT 1")
    .bind(session, source.tenant)
    .run();
  text = await exportText(source);
  records = parseLines(text).slice(1, -1);
});

const ofKind = (kind: string) => records.filter((record) => record.kind === kind);

describe("an export of a tenant", () => {
  it("has every kind of record, a header that names them, and true counts at the end", async () => {
    const lines = parseLines(text);
    const kinds = [...new Set(records.map(({ kind }) => kind))];
    expect(RECORD_KINDS.filter((kind) => !kinds.includes(kind))).toEqual([]);
    expect(lines[0]).toMatchObject({
      kind: "kioku",
      format: 2,
      scope: "tenant",
      id: null,
      contains: RECORD_KINDS,
    });
    const counts = Object.fromEntries(kinds.map((kind) => [kind, ofKind(kind).length]));
    expect(lines.at(-1)).toMatchObject({ kind: "end", lines: records.length, counts });
  });

  it("has no key and no secret", async () => {
    const { results } = await env.DB.prepare(
      "SELECT hash FROM api_keys WHERE tenant = ?1 UNION ALL SELECT secret FROM webhooks WHERE tenant = ?1",
    )
      .bind(source.tenant)
      .all<{ hash: string }>();
    expect(results.length).toBe(2);
    for (const { hash } of results) expect(text).not.toContain(hash);
  });

  it("reads large records in small pages", async () => {
    const client = await newClient(ALL);
    const [ledger] = ofKind("ledger");
    const ledgers = Array.from({ length: 21 }, (_, i) => ({ ...ledger, version: i + 1 }));
    expect((await importText(client, toExport(ledgers))).status).toBe(200);
    const { store } = openStore(env, client.tenant);
    expect((await store.transfer.listRecords("ledger", {}, null)).records).toHaveLength(20);
    expect(await exportRecords(client)).toEqual(ledgers);
  });

  it("is recorded in the audit log", async () => {
    const { body } = await source.call("GET", "/v1/audit?action=export");
    expect(body.data[0]).toMatchObject({ action: "export", target: "export", outcome: "ok" });
  });

  it("comes back as it was in an empty tenant, and a repeated import changes nothing", async () => {
    const target = await newClient(ALL);
    const { status, body } = await importText(target, text);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.imported.memory).toEqual({ added: ofKind("memory").length, known: 0 });
    expect(await exportRecords(target)).toEqual(records);
    const again = await importText(target, text);
    expect(Object.values<{ added: number }>(again.body.imported).filter(({ added }) => added > 0)).toEqual(
      [],
    );
    expect(again.body.imported.message).toEqual({ added: 0, known: 3 });
    expect(await exportRecords(target)).toEqual(records);
  });

  it("comes back as it was in the tenant itself once that is erased", async () => {
    const client = await newClient(ALL);
    await importText(client, text);
    const before = await exportText(client);
    expect((await callWith(ADMIN_KEY, "DELETE", `/v1/tenants/${client.tenant}`)).status).toBe(200);
    const restored = await newClient(ALL, client.tenant);
    expect(await exportRecords(restored)).toEqual([]);
    expect((await importText(restored, before)).status).toBe(200);
    expect(await exportRecords(restored)).toEqual(records);
  });
});

describe("what is imported", () => {
  let target: Client;
  beforeAll(async () => {
    target = await newClient(ALL);
    await importText(target, text);
  });

  it("has the triples of the original, but for its own use", async () => {
    for (const { id } of ofKind("memory").slice(0, 6)) {
      const [mine, original] = await Promise.all(
        [target, source].map((client) =>
          client.call("GET", `/v1/memories/${id}/triples`, undefined, { Accept: "application/n-triples" }),
        ),
      );
      const sort = (body: unknown) =>
        String(body)
          .split("\n")
          .filter((line) => !/#(?:accessCount|lastAccessed|importanceScore)>/.test(line))
          .sort();
      expect(sort(mine?.body)).toEqual(sort(original?.body));
    }
  });

  it("is found by recall and in the session, by text and by meaning", async () => {
    await untilIndexed(target.tenant);
    const recalled = await target.call("POST", "/v1/recall", {
      query: "guests need a session",
      project_id: "shop",
      sources: ["memories", "messages"],
    });
    const contents = recalled.body.memories ?? recalled.body.hits ?? recalled.body.results;
    expect(JSON.stringify(contents)).toContain("Guests need a session of their own");
    expect(JSON.stringify(contents)).toContain("The checkout is broken for guests");
    const messages = await target.call("GET", `/v1/sessions/${session}/messages`);
    const original = await source.call("GET", `/v1/sessions/${session}/messages`);
    expect(messages.body).toEqual(original.body);
    expect((await target.call("GET", `/v1/sessions/${session}/memory`)).body).toEqual(
      (await source.call("GET", `/v1/sessions/${session}/memory`)).body,
    );
    expect((await target.call("GET", `/v1/sessions/${session}/thread?limit=100`)).body).toEqual(
      (await source.call("GET", `/v1/sessions/${session}/thread?limit=100`)).body,
    );
  });

  it("keeps its id when the same content is remembered again", async () => {
    const memory = ofKind("memory").find(({ content }) => content === "Deploys on Tuesday");
    const again = await target.call("POST", "/v1/remember", {
      content: "Deploys on Tuesday",
      key: "deploy-day",
    });
    expect(again.body).toMatchObject({ memory_id: memory?.id, deduplicated: true });
    const changed = await target.call("POST", "/v1/remember", {
      content: "Deploys on Friday",
      key: "deploy-day",
    });
    expect(changed.body.superseded).toEqual([memory?.id]);
  });

  it("has one link when the same link is made again", async () => {
    const link = ofKind("link").find(({ relation }) => relation === "elaborates");
    const [from, to] = [link?.from, link?.to].map((iri) => String(iri).replace("jido:memory_", ""));
    const again = await target.call("POST", "/v1/links", { from, to, relation: "elaborates", strength: 0.5 });
    expect(again.body.id).toBe(link?.id);
    const listed = await target.call("GET", `/v1/links?of=${from}`);
    expect(listed.body.data.filter((one: Line) => one.relation === "elaborates")).toHaveLength(1);
  });

  it("is rebuilt from its triples to the same records", async () => {
    const before = await exportRecords(target);
    const { status } = await callWith(ADMIN_KEY, "POST", "/v1/admin/rebuild", { tenant: target.tenant });
    expect(status).toBeLessThan(300);
    expect(await exportRecords(target)).toEqual(before);
  });
});

describe("an export of a part", () => {
  it("has what is of one user, agent, project or session", async () => {
    const parts = await Promise.all(
      [
        `scope=user&id=mia%40example.com`,
        "scope=agent&id=ada",
        "scope=project&id=shop",
        `scope=session&id=${session}`,
      ].map((query) => exportRecords(source, `?${query}`)),
    );
    const [user = [], agent = [], project = [], own = []] = parts;
    const select = (part: Line[], kind: string) => part.filter((record) => record.kind === kind);
    expect(new Set(select(user, "memory").map(({ user_id }) => user_id))).toEqual(
      new Set(["mia@example.com"]),
    );
    expect(select(user, "session")).toHaveLength(1);
    expect(select(user, "ledger")).toHaveLength(0);
    expect(select(agent, "ledger")).toHaveLength(2);
    expect(select(agent, "agent")).toHaveLength(1);
    expect(select(project, "project")).toHaveLength(1);
    expect(select(project, "episode")).toHaveLength(1);
    expect(select(project, "webhook")).toHaveLength(0);
    expect(new Set(select(own, "memory").map(({ session_id }) => session_id))).toEqual(new Set([session]));
    expect(select(own, "message")).toHaveLength(3);
    for (const part of parts) {
      const all = new Set(records.map((record) => JSON.stringify(record)));
      // The source is in use meanwhile, of which its session takes note.
      for (const record of part) if (record.kind !== "session") expect(all).toContain(JSON.stringify(record));
      const { body, status } = await importText(await newClient(ALL), toExport(part));
      expect(status, JSON.stringify(body)).toBe(200);
    }
  });

  it("needs an id that fits its scope", async () => {
    const missing = await source.call("GET", "/v1/export?scope=user");
    expect(missing).toMatchObject({ status: 400, body: { detail: "id: is required: the id of the user" } });
    expect((await source.call("GET", "/v1/export?id=ada")).status).toBe(400);
    expect((await source.call("GET", "/v1/export?scope=session&id=nowhere")).status).toBe(404);
    expect((await source.call("GET", "/v1/export?scope=galaxy")).status).toBe(400);
    expect((await source.call("GET", "/v1/export", undefined, { Accept: "image/png" })).status).toBe(406);
  });
});

describe("a key that is bound to an owner", () => {
  let bound: Client;
  beforeAll(async () => {
    const { body } = await callWith(ADMIN_KEY, "POST", "/v1/keys", {
      ...{ tenant: source.tenant, scopes: ["read", "write"], bind: { user_id: "mia@example.com" } },
    });
    const { key } = body;
    bound = {
      ...source,
      key,
      call: (method, path, sent, headers) => callWith(key, method, path, sent, headers),
    };
  });

  it("exports what is the owner's, and nothing of another", async () => {
    expect(await exportRecords(bound)).toEqual(
      await exportRecords(source, "?scope=user&id=mia%40example.com"),
    );
    expect((await bound.call("GET", "/v1/export?scope=user&id=bob")).status).toBe(403);
    const others = await exportRecords(bound, "?scope=project&id=shop");
    for (const { user_id, kind } of others) if (kind === "memory") expect(user_id).toBe("mia@example.com");
  });

  it("imports nothing, whatever the body is", async () => {
    for (const type of ["application/x-ndjson", "text/turtle", "application/json"]) {
      const refused = await bound.call("POST", "/v1/import", "no export", { "Content-Type": type });
      expect(refused, type).toMatchObject({ status: 403, body: { code: "forbidden" } });
      expect(refused.body.detail).toContain("without a binding");
    }
  });
});

describe("an import that is not valid", () => {
  let target: Client;
  beforeAll(async () => {
    target = await newClient(ALL);
  });

  /** Imports and expects a failure, after which nothing is stored. */
  async function expectRefusal(sent: string, line: number, detail: string | RegExp, status = 400) {
    const answer = await importText(target, sent);
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status, body: { line } });
    expect(answer.body.detail).toMatch(detail);
    expect(await exportRecords(target)).toEqual([]);
  }

  it("names the line and the field of a wrong value", async () => {
    const [memory] = ofKind("memory");
    const [message] = ofKind("message");
    const wrong: [object, RegExp][] = [
      [{ ...memory, confidence: "high" }, /confidence: must be/],
      [{ ...memory, content: undefined }, /content: is required/],
      [{ ...memory, timestamp: "yesterday" }, /timestamp: must be/],
      [{ ...memory, colour: "red" }, /colour: is not a known field/],
      [{ ...memory, properties: { colour: ["red"] } }, /properties\.colour: is not a property/],
      [
        { ...memory, relations: [{ predicate: "jido:relatedTo", to: "jido:memory_x> <y" }] },
        /relations\.0\.to: must be a compact IRI/,
      ],
      [{ ...memory, type: "runbook" }, /type: must be one of/],
      [{ ...memory, id: "a b" }, /id: must be/],
      [
        { ...memory, properties: { hasEvidenceStrength: ["Sideways"] } },
        /hasEvidenceStrength: must be one of/,
      ],
      [{ ...memory, importance: 7 }, /importance: must be at most 1/],
      [{ kind: "dream", id: "x" }, /kind: must be one of/],
      [{ ...ofKind("episode")[0], context: { goal: "Deploy" } }, /context\.phase: is required/],
      [message ?? {}, /session_id: there is no session/],
      [{ ...ofKind("webhook")[0], url: "http://localhost/" }, /url: /],
      [{ ...memory, timestamp: "2026-01-31T12:00:00+01:00" }, /timestamp: must be a time of UTC/],
      [{ ...memory, valid_until: "2026-02-30T12:00:00.000Z" }, /valid_until: must be a time of UTC/],
      [{ ...memory, content: "x".repeat(2_001) }, /content: must have at most 2000/],
      [{ ...memory, rationale: "x".repeat(2_001) }, /rationale: must have at most 2000/],
      [{ ...memory, tags: ["x".repeat(65)] }, /tags\.0: /],
      [{ ...memory, tags: ["b", "a"] }, /tags: must be sorted/],
      [{ ...memory, metadata: { a: "x".repeat(9_000) } }, /metadata: must be at most 8192/],
      [{ ...memory, evidence: ["x".repeat(513)] }, /evidence\.0: must have at most 512/],
      [
        { ...ofKind("item").find(({ session_id }) => session_id !== null), session_id: null },
        /session_id: must be/,
      ],
      [{ ...ofKind("item")[0], collection: "d1/index:glossary" }, /session_id: must be/],
    ];
    for (const [record, detail] of wrong)
      await expectRefusal(toExport([ofKind("ledger")[0] ?? {}, record]), 3, detail);
  });

  it("names the line and the field of a record that the others do not allow", async () => {
    const [opened] = ofKind("session");
    const [message] = ofKind("message");
    const gap = toExport([opened ?? {}, { ...message, seq: 500 }]);
    await expectRefusal(gap, 3, /seq: must be 1, which follows the last message/);
    const [directive] = ofKind("directive");
    const work = { directive: { type: "upsert", items: [] }, provider: "d1", options: {} };
    await expectRefusal(toExport([opened ?? {}, { ...directive, work }]), 3, /work\.directive\.items/);
    const options = { index: "a b" };
    const query = { type: "query", keys: ["a"] };
    const indexed = { ...directive, work: { ...work, directive: query, options } };
    await expectRefusal(toExport([opened ?? {}, indexed]), 3, /work\.options\.index/);
    const [memory] = ofKind("memory");
    const until = new Date(Date.now() + 60_000).toISOString();
    const version = { ...ofKind("memory_version")[0], memory_id: memory?.id, until };
    await expectRefusal(toExport([memory ?? {}, version]), 3, /until: must not be later than now/);
    const [extension] = ofKind("ontology_extension");
    const second = { ...extension, version: 9 };
    await expectRefusal(toExport([extension ?? {}, second]), 3, /current: must be false/);
    const long = { ...extension, turtle: `#${"x".repeat(50_001)}`, current: false };
    await expectRefusal(toExport([long]), 2, /turtle: must have at most 50000/);
    const versions = Array.from({ length: 51 }, (_, i) => ({ ...extension, version: i + 1, current: false }));
    await expectRefusal(toExport(versions), 52, /version: exceeds the limit of 50/);
    const names = "abcdefghijk".split("").map((name) => ({ ...extension, name, turtle: "" }));
    await expectRefusal(toExport(names), 12, /name: exceeds the limit of 10/);
  });

  it("refuses a link that its memory does not state", async () => {
    const [first, second] = ofKind("memory").filter(({ superseded_by }) => superseded_by === null);
    const [link] = ofKind("link");
    const ends = { from: `jido:memory_${first?.id}`, to: `jido:memory_${second?.id}` };
    for (const relation of ["superseded_by", "hasAlternative", "appliesToProject"]) {
      const sent = [first ?? {}, second ?? {}, { ...link, ...ends, relation }];
      await expectRefusal(toExport(sent), 4, /relation: /);
    }
  });

  it("refuses a memory that violates a shape, also one that comes with it", async () => {
    const [extension] = ofKind("ontology_extension");
    const shape = `@prefix sh: <http://www.w3.org/ns/shacl#> .
      ext:RunbookShape a sh:NodeShape ; sh:targetClass ext:Runbook ; sh:property [
        sh:path ext:minutes ; sh:minCount 1 ; sh:message "A runbook tells how long it takes." ] .`;
    const runbook = ofKind("memory").find(({ type }) => type === "runbook");
    const shaped = { ...extension, turtle: `${extension?.turtle}\n${shape}` };
    const sent = toExport([shaped, { ...runbook, properties: {} }]);
    await expectRefusal(sent, 3, /A runbook tells how long it takes/, 422);
    await expectRefusal(toExport([{ ...extension, turtle: "ext: ext:" }]), 2, /turtle: is not Turtle/);
  });

  it("notices a file that is cut, changed, or of another version", async () => {
    const lines = text.trimEnd().split("\n");
    const join = (kept: readonly string[]) => kept.map((line) => `${line}\n`).join("");
    await expectRefusal(join(lines.slice(0, -1)), lines.length - 1, /kind: must be end/);
    await expectRefusal(join(lines.slice(0, 1)), 1, /kind: must be end/);
    await expectRefusal(text.slice(0, -20), lines.length, /the file is cut off/);
    await expectRefusal(join(lines.with(2, "{")), 3, /line 3 is not valid JSON/);
    await expectRefusal(join(lines.toSpliced(5, 1)), lines.length - 1, /lines: is \d+, and there are/);
    const changed = lines.map((line) => line.replace("Deploys on Tuesday", "Deploys on Sunday"));
    await expectRefusal(join(changed), lines.length, /digest: is not that of the lines/);
    await expectRefusal(toExport([], { format: 3 }), 1, /format: must be 2/);
    await expectRefusal(toExport([], { format: 1 }), 1, /kioku import/);
    await expectRefusal(toExport([], { kind: "other" }), 1, /kind: must be kioku/);
    const [ledger] = ofKind("ledger");
    await expectRefusal(toExport([ledger ?? {}, ledger ?? {}]), 3, /the same ledger as on line 2/);
  });

  it("needs the scope admin for rules of the tenant", async () => {
    const writer = await newClient(["read", "write"]);
    for (const kind of ["webhook", "privacy_policy", "ontology_extension"]) {
      const answer = await importText(writer, toExport(ofKind(kind).slice(0, 1)));
      expect(answer, kind).toMatchObject({ status: 403, body: { line: 2 } });
    }
    expect((await importText(await newClient(["read"]), toExport([]))).status).toBe(403);
    expect((await importText(writer, toExport(ofKind("policy")))).status).toBe(200);
  });

  it("masks secrets on the way in, and tells so", async () => {
    const [memory] = ofKind("memory");
    const content = "The key is AKIAIOSFODNN7EXAMPLE";
    const answer = await importText(
      target,
      toExport([{ ...memory, session_id: null, content, relations: [] }]),
    );
    expect(answer.body.masked).toHaveLength(1);
    expect(await exportText(target)).not.toContain("AKIAIOSFODNN7EXAMPLE");
  });

  it("masks what a session holds by the policy of its project", async () => {
    const client = await newClient(ALL);
    await client.call("PUT", "/v1/projects/shop/privacy", { personal_data: { email: "mask" } });
    const [space] = ofKind("space");
    const sent = [ofKind("session")[0] ?? {}, { ...space, type: "map", data: { from: "ann@example.org" } }];
    const answer = await importText(client, toExport(sent));
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(await exportText(client)).not.toContain("ann@example.org");
  });

  it("takes webhooks up to the limit, and the same ones again", async () => {
    const client = await newClient(ALL);
    const [webhook] = ofKind("webhook");
    const create = (i: number) => ({ ...webhook, id: `wh_${String(i).padStart(24, "0")}` });
    const ten = Array.from({ length: 10 }, (_, i) => create(i));
    expect((await importText(client, toExport(ten))).status).toBe(200);
    expect((await importText(client, toExport(ten))).body.imported.webhook).toEqual({ added: 0, known: 10 });
    expect((await importText(client, toExport([create(10)]))).body.code).toBe("limit_exceeded");
  });
});
