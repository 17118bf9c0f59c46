// The privacy policy of a tenant, its projects and sessions: what is masked, refused and kept.
import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { type Client, callWith, freshId, newClient, sessionStub } from "../support";

const TOKEN = "ghp_Qm3vT8wZr1XyLk5NbC7dJf0HsGaPeUo2Ri4W";
const MAIL = "mia@example.org";

async function newTenant(): Promise<{ client: Client; admin: Client }> {
  const client = await newClient();
  return { client, admin: await newClient(["read", "write", "admin"], client.tenant) };
}

const remember = (client: Client, body: object, headers = {}) =>
  client.call("POST", "/v1/remember", body, headers);

describe("a secret in a memory", () => {
  it("is masked, counted, and found by what is left", async () => {
    const { client } = await newTenant();
    const content = `The release bot uses ${TOKEN} and ${TOKEN.replace("Qm", "Zz")}`;
    const { status, body } = await remember(client, {
      content,
      project_id: "shop",
      evidence: [`log: ${TOKEN}`],
    });
    expect(status).toBe(201);
    expect(body.masked).toEqual([{ kind: "github_token", count: 3 }]);
    const { body: memory } = await client.call("GET", `/v1/memories/${body.memory_id}`);
    expect(memory.content).toBe("The release bot uses [secret:github_token] and [secret:github_token]");
    expect(memory.evidence).toEqual(["log: [secret:github_token]"]);
  });

  it("is the same memory when it is remembered again, and after a rebuild", async () => {
    const { client, admin } = await newTenant();
    const body = { content: `The release bot uses ${TOKEN}.`, session_id: freshId("s") };
    const first = await remember(client, body);
    const again = await remember(client, body);
    expect(again.body).toMatchObject({ memory_id: first.body.memory_id, deduplicated: true });
    await callWith(admin.key, "POST", "/v1/admin/rebuild", { tenant: client.tenant });
    const rebuilt = await remember(client, body);
    expect(rebuilt.body).toMatchObject({ memory_id: first.body.memory_id, deduplicated: true });
  });

  it.each([
    ["in a session", (id: string) => ({ session_id: id })],
    ["without one", () => ({ project_id: "shop" })],
  ])("has the same answer for the same idempotency key, %s", async (_, owner) => {
    const { client } = await newTenant();
    const headers = { "Idempotency-Key": freshId("key") };
    const body = { content: `The release bot uses ${TOKEN}.`, ...owner(freshId("s")) };
    const first = await remember(client, body, headers);
    const again = await remember(client, body, headers);
    expect(first.body.masked).toEqual([{ kind: "github_token", count: 1 }]);
    expect(again.body).toEqual(first.body);
  });

  it("is masked in a change of one, in its labels and its text", async () => {
    const { client } = await newTenant();
    const { body: first } = await remember(client, { content: "The bot has a token.", project_id: "shop" });
    const change = { content: `The bot uses ${TOKEN}.`, metadata: { note: TOKEN }, tags: ["bot"] };
    const { status, body } = await client.call("PATCH", `/v1/memories/${first.memory_id}`, change);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      content: "The bot uses [secret:github_token].",
      metadata: { note: "[secret:github_token]" },
    });
    expect(body.masked[0].kind).toBe("github_token");
  });

  it("is masked in a tool call, and the result tells so", async () => {
    const { client } = await newTenant();
    const call = {
      type: "tool_use",
      id: "t1",
      name: "remember",
      input: { content: `The bot uses ${TOKEN}.` },
    };
    const { body } = await client.call("POST", "/v1/tools/execute", { session_id: freshId("s"), call });
    expect(body.masked).toBeUndefined();
    expect(JSON.parse(body.content).masked).toEqual([{ kind: "github_token", count: 1 }]);
  });
});

describe("a session", () => {
  const say = (client: Client, id: string, content: string) =>
    client.call("POST", `/v1/sessions/${id}/messages`, { messages: [{ role: "user", content }] });
  const window = async (client: Client, id: string) =>
    (await client.call("GET", `/v1/sessions/${id}/messages`)).body.data[0].content;

  it("keeps what was said in its window and thread, and masks what leaves them", async () => {
    const { client } = await newTenant();
    const id = freshId("s");
    const { body } = await say(client, id, `Our staging host is eu-7. Use ${TOKEN} there.`);
    expect(body.masked).toEqual([{ kind: "github_token", count: 1 }]);
    expect(await window(client, id)).toContain(TOKEN);
    const recall = { query: "staging host", sources: ["messages"] };
    const { body: found } = await client.call("POST", `/v1/sessions/${id}/recall`, recall);
    expect(found.memories[0].content).toBe("Our staging host is eu-7. Use [secret:github_token] there.");
  });

  it("masks in its window and thread, too, when it is strict", async () => {
    const { client } = await newTenant();
    const id = freshId("s");
    const { body: session } = await client.call("POST", "/v1/sessions", { id, privacy: "strict" });
    expect(session.privacy).toBe("strict");
    await say(client, id, `Use ${TOKEN} there.`);
    await client.call("POST", `/v1/sessions/${id}/thread`, {
      entries: [{ kind: "observation", payload: { text: TOKEN } }],
    });
    expect(await window(client, id)).toBe("Use [secret:github_token] there.");
    const { body: thread } = await client.call("GET", `/v1/sessions/${id}/thread`);
    expect(JSON.stringify(thread)).not.toContain(TOKEN);
    await client.call("PATCH", `/v1/sessions/${id}`, { privacy: "standard" });
    const later = await client.call("GET", `/v1/sessions/${id}`);
    expect(later.body.privacy).toBe("standard");
  });

  it("is strict in a strict project, and in a strict tenant", async () => {
    const { client, admin } = await newTenant();
    const id = freshId("s");
    await admin.call("PUT", "/v1/projects/vault/privacy", { privacy: "strict" });
    await client.call("POST", "/v1/sessions", { id, project_id: "vault" });
    await say(client, id, `Use ${TOKEN} there.`);
    expect(await window(client, id)).toBe("Use [secret:github_token] there.");
    await admin.call("PUT", "/v1/privacy", { privacy: "strict" });
    const other = freshId("s");
    await say(client, other, `Use ${TOKEN} there.`);
    expect(await window(client, other)).toBe("Use [secret:github_token] there.");
  });

  it("masks personal data in what its alarm derives, by the policy of its project", async () => {
    const { client, admin } = await newTenant();
    const id = freshId("s");
    await admin.call("PUT", "/v1/projects/care/privacy", { personal_data: { email: "mask" } });
    await client.call("POST", "/v1/sessions", { id, project_id: "care" });
    await say(client, id, `We decided to send every invoice to ${MAIL}.`);
    await sessionStub(client.tenant, id).promote({ tenant: client.tenant, id }, null);
    await runDurableObjectAlarm(sessionStub(client.tenant, id));
    const { body } = await client.call("GET", `/v1/memories?session_id=${id}`);
    expect(body.data.map(({ content }: { content: string }) => content)).toEqual([
      "We decided to send every invoice to [personal:email].",
    ]);
    expect(await window(client, id)).toContain(MAIL);
  });
});

describe("personal data", () => {
  it("is kept by default", async () => {
    const { client } = await newTenant();
    const { body } = await remember(client, { content: `Mia's address is ${MAIL}.`, user_id: MAIL });
    expect(body.masked).toBeUndefined();
    const { body: memory } = await client.call("GET", `/v1/memories/${body.memory_id}`);
    expect(memory).toMatchObject({ content: `Mia's address is ${MAIL}.`, user_id: MAIL });
  });

  it("is masked in texts and never in ids", async () => {
    const { client, admin } = await newTenant();
    await admin.call("PUT", "/v1/privacy", { personal_data: { email: "mask", national_id: "mask" } });
    const content = `Mia's address is ${MAIL}, her SSN 123-45-6788.`;
    const { body } = await remember(client, { content, user_id: MAIL });
    expect(body.masked).toEqual([
      { kind: "email", count: 1 },
      { kind: "us_ssn", count: 1 },
    ]);
    const { body: memory } = await client.call("GET", `/v1/memories/${body.memory_id}`);
    expect(memory).toMatchObject({
      content: "Mia's address is [personal:email], her SSN [personal:us_ssn].",
      user_id: MAIL,
    });
  });

  it("is refused with its kind and field, and nothing is stored", async () => {
    const { client, admin } = await newTenant();
    const id = freshId("s");
    await admin.call("PUT", "/v1/projects/bank/privacy", { personal_data: { iban: "refuse" } });
    const content = "Pay to DE89 3704 0044 0532 0130 00.";
    const refused = await remember(client, { content, project_id: "bank" });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ code: "unprocessable", errors: [{ path: "content" }] });
    expect(refused.body.detail).toContain("iban");
    expect(JSON.stringify(refused.body)).not.toContain("3704");
    await client.call("POST", "/v1/sessions", { id, project_id: "bank" });
    const messages = [{ role: "user", content }];
    const said = await client.call("POST", `/v1/sessions/${id}/messages`, { messages });
    expect(said).toMatchObject({ status: 422, body: { errors: [{ path: "content" }] } });
    expect((await client.call("GET", `/v1/sessions/${id}/messages`)).body.data).toEqual([]);
    expect((await remember(client, { content, project_id: "shop" })).status).toBe(201);
    expect((await client.call("GET", "/v1/memories?project_id=bank")).body.data).toEqual([]);
  });

  it("is refused for one memory of a batch, and the others are stored", async () => {
    const { client, admin } = await newTenant();
    await admin.call("PUT", "/v1/privacy", { personal_data: { phone: "refuse" } });
    const memories = ["Call me on +49 151 23456789.", "The office is in Rome."].map((content) => ({
      content,
      project_id: "shop",
    }));
    const { body } = await client.call("POST", "/v1/memories/batch", { memories });
    expect(body.results).toEqual([
      { error: expect.objectContaining({ code: "unprocessable" }) },
      expect.objectContaining({ remembered: true }),
    ]);
  });

  it("is refused for one memory of a session, by the policy of the session's project", async () => {
    const { client, admin } = await newTenant();
    const [id, other] = [freshId("s"), freshId("s")];
    await admin.call("PUT", "/v1/projects/bank/privacy", { personal_data: { phone: "refuse" } });
    await client.call("POST", "/v1/sessions", { id, project_id: "bank" });
    const contents = ["Call me on +49 151 23456789.", "The office is in Rome."];
    const store = (memories: object[]) => client.call("POST", "/v1/memories/batch", { memories });
    const { body } = await store(contents.map((content) => ({ content, session_id: id })));
    expect(body.results).toEqual([
      { error: expect.objectContaining({ code: "unprocessable" }) },
      expect.objectContaining({ remembered: true }),
    ]);
    await store([{ content: contents[0], session_id: other, project_id: "bank" }]);
    expect((await client.call("GET", `/v1/sessions/${other}`)).status).toBe(404);
  });
});

describe("the policy", () => {
  it("has defaults, is set by an admin key, and falls back to the tenant's in a project", async () => {
    const { client, admin } = await newTenant();
    const personal_data = { email: "allow", phone: "allow", iban: "allow", national_id: "allow" };
    expect((await client.call("GET", "/v1/privacy")).body).toEqual({ privacy: "standard", personal_data });
    expect((await client.call("PUT", "/v1/privacy", {})).status).toBe(403);
    await admin.call("PUT", "/v1/privacy", { personal_data: { phone: "mask" } });
    const own = await admin.call("PUT", "/v1/projects/shop/privacy", { personal_data: { email: "refuse" } });
    const expected = { ...personal_data, phone: "mask", email: "refuse" };
    expect(own.body).toEqual({ privacy: "standard", personal_data: expected });
    expect((await client.call("GET", "/v1/projects/shop/privacy")).body).toEqual(own.body);
    await admin.call("PUT", "/v1/projects/shop/privacy", { privacy: "strict" });
    expect((await client.call("GET", "/v1/projects/shop/privacy")).body).toEqual({
      privacy: "strict",
      personal_data: { ...personal_data, phone: "mask" },
    });
    expect((await admin.call("DELETE", "/v1/projects/shop/privacy")).status).toBe(204);
    expect((await admin.call("DELETE", "/v1/projects/shop/privacy")).status).toBe(404);
    expect((await client.call("GET", "/v1/projects/shop/privacy")).body.privacy).toBe("standard");
  });

  it("refuses unknown categories and rules, with the field", async () => {
    const { admin } = await newTenant();
    const bad = await admin.call("PUT", "/v1/privacy", { personal_data: { email: "hide" } });
    expect(bad).toMatchObject({ status: 400, body: { errors: [{ path: "personal_data.email" }] } });
  });
});
