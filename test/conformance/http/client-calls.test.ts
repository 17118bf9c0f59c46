// The TypeScript client against the built service: every group of calls, as somebody who installed it uses it.
import type { ContentBlock, ToolResultBlockParam } from "@anthropic-ai/sdk/resources/messages";
import { Kioku } from "kioku/client";
import type { ChatCompletionMessage, ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ResponseInputItem, ResponseOutputItem } from "openai/resources/responses/responses";
import { beforeAll, describe, expect, it } from "vitest";
import { fresh } from "../support/client";
import { sharedServer } from "../support/http-service";

const service = sharedServer();
let kioku: Kioku;
let admin: Kioku;

beforeAll(() => {
  const url = service.api.url("");
  kioku = new Kioku({ url, key: service.api.key ?? "" });
  admin = new Kioku({ url, key: service.admin.key ?? "" });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("the three tools of the client", () => {
  it("take what a memory belongs to in their object", async () => {
    const [session_id, agent_id, project_id] = [fresh("s"), fresh("a"), fresh("p")];
    for (const owner of [{ session_id }, { agent_id }, { project_id }]) {
      const { memory_id } = await kioku.remember({ content: "The kettle is red", ...owner });
      const { memories } = await kioku.recall({ query: "kettle", ...owner });
      expect(memories.map(({ id }) => id)).toEqual([memory_id]);
      expect(await kioku.forget({ memory_id, ...owner })).toMatchObject({ forgotten: true, memory_id });
      expect((await kioku.recall({ query: "kettle", ...owner })).count).toBe(0);
    }
  });

  it("are listed for a model, and run a model's call", async () => {
    const session_id = fresh("s");
    expect(await kioku.tools.list("anthropic")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "remember", input_schema: expect.anything() }),
      ]),
    );
    const call = {
      id: "call-1",
      type: "function" as const,
      function: { name: "remember", arguments: '{"content":"The lamp is green"}' },
    };
    expect(await kioku.tools.execute({ session_id, call })).toMatchObject({
      role: "tool",
      tool_call_id: "call-1",
    });
    expect((await kioku.session(session_id).recall({ query: "lamp" })).count).toBe(1);
  });

  it("run the calls of a model's whole answer, with results of the type that its API takes", async () => {
    const session_id = fresh("s");
    const args = JSON.stringify({ content: "The lamp is green" });
    const message: ChatCompletionMessage = {
      role: "assistant",
      content: null,
      refusal: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "remember", arguments: args } }],
    };
    const messages: ChatCompletionMessageParam[] = [message];
    messages.push(...(await kioku.tools.execute({ session_id, call: message })));
    expect(messages[1]).toMatchObject({ role: "tool", tool_call_id: "c1" });

    const content: ContentBlock[] = [
      { type: "text", text: "Let me look.", citations: null },
      { type: "tool_use", id: "c2", name: "recall", input: { query: "lamp" }, caller: { type: "direct" } },
    ];
    const blocks: ToolResultBlockParam[] = await kioku.tools.execute({ session_id, call: content });
    expect(blocks).toMatchObject([{ type: "tool_result", tool_use_id: "c2", is_error: false }]);

    const output: ResponseOutputItem[] = [
      { type: "function_call", call_id: "c3", name: "recall", arguments: "{}" },
    ];
    const items: ResponseInputItem[] = await kioku.tools.execute({ session_id, call: { output } });
    expect(items).toMatchObject([{ type: "function_call_output", call_id: "c3" }]);
  });
});

describe("agents, projects and resources of the client", () => {
  it("are declared, read, listed and erased", async () => {
    const [agent, project, file] = [fresh("agent"), fresh("project"), fresh("file")];
    const declared = { class: "primary_agent" as const, properties: { agentName: "Ada" } };
    expect(await kioku.agents(agent).put(declared)).toMatchObject({ id: agent, declared: true });
    expect(await kioku.agents(agent).get()).toMatchObject({ properties: { agentName: ["Ada"] } });
    expect((await kioku.agents(agent).triples()).data).toHaveLength(2);
    expect((await all(kioku.agents.list())).map(({ id }) => id)).toContain(agent);
    await kioku.projects.put(project, { properties: { projectName: "Shop" } });
    expect(await kioku.projects.get(project)).toMatchObject({ id: project, declared: true });
    expect((await all(kioku.projects.list())).map(({ id }) => id)).toContain(project);
    await kioku.resources.put("source_file", file, { project_id: project, properties: { filePath: "a.ts" } });
    const { memory_id } = await kioku.remember({
      content: "a.ts is generated",
      project_id: project,
      properties: { appliesToFile: file },
    });
    expect((await kioku.resources.get("source_file", file)).referred_by).toEqual([
      { relation: "appliesToFile", class: "memory", id: memory_id },
    ]);
    expect(await all(kioku.resources.list({ project_id: project }))).toMatchObject([{ id: file }]);
    expect(await kioku.resources.delete("source_file", file)).toMatchObject({ deleted: { references: 1 } });
  });
});

describe("a session of the client", () => {
  it("does not see what another one remembers", async () => {
    const [mine, yours] = [kioku.session(fresh("mine")), kioku.session(fresh("yours"))];
    await mine.remember({ content: "My boat is called Aurora" });
    await yours.remember({ content: "Your boat is called Borealis" });
    const found = async (session: typeof mine) =>
      (await session.recall({ query: "boat" })).memories.map(({ content }) => content);
    expect(await found(mine)).toEqual(["My boat is called Aurora"]);
    expect(await found(yours)).toEqual(["Your boat is called Borealis"]);
  });

  it("is made, read, changed, paused, resumed, closed and deleted", async () => {
    const agent_id = fresh("agent");
    const { id } = await kioku.sessions.create({ agent_id });
    const session = kioku.session(id);
    expect(await session.get()).toMatchObject({ id, agent_id, status: "active" });
    expect(await session.patch({ metadata: { mood: "calm" } })).toMatchObject({ metadata: { mood: "calm" } });
    expect(await session.pause()).toMatchObject({ status: "paused", promoted: 0 });
    expect(await session.resume()).toMatchObject({ status: "active" });
    expect(await session.close()).toMatchObject({ status: "closed" });
    expect(await all(kioku.sessions.list({ agent_id, status: "closed" }))).toMatchObject([{ id }]);
    await expect(session.remember({ content: "late" })).rejects.toMatchObject({ code: "conflict" });
    expect(await session.delete({ memories: true })).toMatchObject({ deleted: { messages: 0 } });
    await expect(session.get()).rejects.toMatchObject({ code: "not_found", status: 404 });
  });

  it("keeps messages, context and what is pending, promotes and assembles", async () => {
    const session = kioku.session(fresh("s"));
    const messages = [
      { role: "user" as const, content: "Which port?" },
      { role: "assistant" as const, content: "8787" },
    ];
    expect(await session.messages.add({ messages })).toMatchObject({ added: 2 });
    expect((await all(session.messages.list())).map(({ content }) => content)).toEqual([
      "Which port?",
      "8787",
    ]);

    await session.context.put("framework", { value: "Phoenix", source: "tool", confidence: 0.95 });
    expect(await session.context.get("framework", { peek: true })).toMatchObject({ value: "Phoenix" });
    expect(await all(session.context.list())).toHaveLength(1);
    expect(await session.assemble({ query: "framework" })).toMatchObject({
      working_context: { framework: "Phoenix" },
    });
    expect(await session.context.delete("framework")).toBeUndefined();

    await session.pending.add({
      content: "The gate opens at six",
      memory_type: "fact",
      importance_score: 0.9,
    });
    expect(await all(session.pending.list())).toMatchObject([{ content: "The gate opens at six" }]);
    expect(await session.promote()).toMatchObject({ promoted: [{ memory_type: "fact" }], remaining: 0 });
    expect(await session.continuity()).toContain("#");
  });

  it("remembers a turn for the next preflight, as the agent's policy says", async () => {
    const agent_id = fresh("agent");
    const { policy } = kioku.agents(agent_id);
    expect(await policy.put({ capture: "conversation" })).toMatchObject({ capture: "conversation" });
    expect(await policy.get()).toMatchObject({ capture: "conversation" });
    const turn = { agent_id, input: "My name is Alex.", output: "Hello, Alex." };
    expect(await kioku.session(fresh("mon")).turn(turn)).toMatchObject({ captured: true });
    const { memory } = await kioku.session(fresh("tue")).preflight({ agent_id, input: "hello" });
    expect(memory.entries).toMatchObject([{ content: expect.stringContaining("Alex") }]);

    await kioku.entries.create({ agent_id, content: "Alex likes tea" });
    const namespace = `agent:${agent_id}`;
    expect(await all(kioku.entries.list({ namespace }))).toHaveLength(2);
    expect(await all(kioku.entries.search({ namespace, filter: { source: "manual" } }))).toHaveLength(1);
    expect(await kioku.entries.recall({ agent_id, query: "tea", limit: 1 })).toMatchObject({
      entries: [{ content: "Alex likes tea" }],
    });
    expect(await all(kioku.namespaces.list({ prefix: namespace }))).toMatchObject([
      { namespace, entries: 2 },
    ]);
    expect(await kioku.namespaces.erase(namespace)).toMatchObject({ deleted: { memories: 2 } });
    expect(await kioku.metrics({ window_days: 1 })).toMatchObject({ window: { days: 1 } });
  });

  it("has spaces and tasks with revisions", async () => {
    const session = kioku.session(fresh("s"));
    const { rev } = await session.spaces.put("plan", { data: { step: 1 } });
    const ops = [{ op: "put" as const, key: "step", value: 2 }];
    expect(await session.spaces.ops("plan", { expected_rev: rev, ops })).toMatchObject({ data: { step: 2 } });
    expect(await session.spaces.key("plan", "step")).toEqual({ key: "step", value: 2 });
    await expect(session.spaces.ops("plan", { expected_rev: rev, ops })).rejects.toMatchObject({
      code: "conflict",
      current_rev: rev + 1,
    });
    expect(await session.spaces.get("plan")).toMatchObject({ rev: rev + 1 });
    expect(await session.spaces.delete("plan", { expected_rev: rev + 1 })).toBeUndefined();
    expect(await session.memory.patch({ metadata: { a: 1 } })).toMatchObject({ metadata: { a: 1 } });
    expect(Object.keys((await session.memory.get()).spaces).sort()).toEqual(["tasks", "world"]);

    const first = await session.tasks.add({ text: "Water the plants" });
    const second = await session.tasks.add({ text: "Feed the cat" });
    await session.tasks.order({ ids: [second.id, first.id] });
    expect(await session.tasks.next()).toMatchObject({ id: second.id });
    await session.tasks.complete(second.id);
    await session.tasks.delete(first.id);
    expect(await session.tasks.next()).toBeUndefined();
    expect(await all(session.tasks.list({ status: "done" }))).toMatchObject([{ id: second.id }]);
  });

  it("has a thread, projectors, directives and their signals", async () => {
    const session = kioku.session(fresh("s"));
    const entries = [1, 2, 3, 4, 5].map((n) => ({ kind: "note" as const, payload: `note ${n}` }));
    expect(await session.thread.append({ entries })).toEqual({ first_seq: 1, last_seq: 5 });
    const payloads = async (query: Parameters<typeof session.thread.list>[0]) =>
      (await all(session.thread.list(query))).map(({ seq }) => seq);
    expect(await payloads({ kind: "note", limit: 2 })).toEqual([1, 2, 3, 4, 5]);
    expect(await payloads({ from: 2, to: 3, limit: 1 })).toEqual([2, 3]);

    expect((await session.projectors.list()).data.map(({ name }) => name)).toContain("summary");
    await session.projectors.patch("summary", { trigger: { tick: false } });
    expect(await session.projectors.run("facts")).toMatchObject({ covers: { to: 5 } });

    const items = [{ key: "a", value: 1 }];
    const { request_id } = await session.directives.send({ type: "upsert", provider: "inline", items });
    const end = new AbortController();
    for await (const signal of session.signals.stream({ signal: end.signal })) {
      expect(signal).toMatchObject({ type: "jido.memory.result", data: { request_id } });
      end.abort();
    }
    expect(await all(session.signals.list({ limit: 1 }))).toMatchObject([{ data: { request_id } }]);
  });
});

describe("long-term memory through the client", () => {
  it("is read with its history and triples, and erased", async () => {
    const session = kioku.session(fresh("s"));
    const old = await session.remember({ content: "The door code is 1", key: "door" });
    const { memory_id } = await session.remember({ content: "The door code is 2", key: "door" });
    expect(await kioku.memories.get(memory_id)).toMatchObject({ supersedes: [old.memory_id] });
    const { data } = await kioku.memories.history(memory_id);
    expect(data.map(({ id }) => id)).toEqual([old.memory_id, memory_id]);
    expect((await kioku.memories.triples(memory_id)).data[0]?.subject).toContain(memory_id);
    const params = { id: memory_id };
    const turtle = await kioku.request("GET", "/v1/memories/{id}/triples", { params, accept: "text/turtle" });
    expect(turtle).toContain("@prefix");
    expect(await kioku.memories.delete(memory_id)).toMatchObject({ deleted: { memories: 1 } });
    await expect(kioku.memories.get(memory_id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("is listed to the end, or by the page", async () => {
    const session_id = fresh("s");
    const contents = ["one apple", "two pears", "three plums", "four figs", "five limes"];
    for (const content of contents) await kioku.remember({ session_id, content, type: "fact" });
    const list = kioku.memories.list({ session_id, type: "fact", limit: 2 });
    expect((await all(list)).map(({ content }) => content)).toEqual([...contents].reverse());
    const first = await list.page({ limit: 3 });
    expect(first.data).toHaveLength(3);
    const second = await list.page({ limit: 3, cursor: first.next_cursor ?? undefined });
    expect(second).toMatchObject({
      data: [{ content: "two pears" }, { content: "one apple" }],
      next_cursor: null,
    });
  });

  it("links memories and resolves contradictions", async () => {
    const session = kioku.session(fresh("s"));
    const a = (await session.remember({ content: "Tests run in workerd" })).memory_id;
    const b = (await session.remember({ content: "Tests run in Node" })).memory_id;
    const { id } = await kioku.links.create({ from: a, to: b, relation: "contradicts" });
    expect(await all(kioku.links.list({ of: a }))).toMatchObject([{ id, direction: "out" }]);
    expect((await all(kioku.contradictions.list())).length).toBeGreaterThan(0);
    expect(await kioku.links.delete(id)).toBeUndefined();
    expect(await all(kioku.links.list({ of: a }))).toEqual([]);
  });

  it("tells of its ontology and the service's health", async () => {
    expect((await kioku.ontology()).memory_types).toContain("fact");
    expect(await kioku.health()).toMatchObject({ status: "ok" });
  });
});

describe("experience through the client", () => {
  it("goes from episodes over consolidation to what to know before a task", async () => {
    const project_id = fresh("p");
    const action_log = ["read_changelog", "npm_install", "run_tests"].map((action) => ({ action }));
    for (const name of ["zod", "hono"])
      await kioku.episodes.create({
        project_id,
        context: { goal: `Upgrade the npm package ${name}` },
        action_log,
        outcome: "success",
      });
    const episodes = await all(kioku.episodes.list({ project_id }));
    expect(episodes).toHaveLength(2);
    const { created } = await kioku.consolidate({ project_id });
    expect(created).toHaveLength(1);
    expect(await kioku.patterns.get(created[0] ?? "")).toMatchObject({ project_id });
    expect(await all(kioku.patterns.list({ project_id }))).toHaveLength(1);
    const primed = await kioku.prime({ project_id, goal: "Upgrade the npm package vite" });
    expect(primed.relevant_patterns).toHaveLength(1);
    expect(await kioku.maintenance({ project_id })).toMatchObject({ archived: expect.anything() });
    const { id } = episodes[0] ?? { id: "" };
    expect(await kioku.episodes.get(id)).toMatchObject({ id });
    expect(await kioku.episodes.delete(id)).toMatchObject({ deleted: expect.anything() });
  });

  it("lists, reads and erases users", async () => {
    const id = `${fresh("anna")}+test@example.com|1`;
    await kioku.remember({ user_id: id, agent_id: "ada", content: "Anna lives in Lisbon" });
    expect((await all(kioku.users.list())).map((user) => user.id)).toContain(id);
    expect(await kioku.users.get(id)).toMatchObject({ id, facts: [{ content: "Anna lives in Lisbon" }] });
    expect(await kioku.users.getMarkdown(id)).toContain("- Anna lives in Lisbon");
    expect((await kioku.users.erase(id)).deleted).toMatchObject({ sessions: 0, memories: 1 });
    await expect(kioku.users.get(id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("writes skills as JSON and as Markdown", async () => {
    const slug = fresh("skill").toLowerCase();
    await kioku.skills.put(slug, { name: "Bake bread", description: "A loaf", steps: ["Mix", "Bake"] });
    const markdown = await kioku.skills.getMarkdown(slug);
    expect(markdown).toContain("Bake bread");
    const skill = await kioku.skills.putMarkdown(slug, markdown.replaceAll("Mix", "Knead"));
    expect(skill.steps).toEqual(["Knead", "Bake"]);
    expect((await kioku.skills.get(slug)).steps).toEqual(["Knead", "Bake"]);
    expect((await all(kioku.skills.list())).map((each) => each.slug)).toContain(slug);
    const other = fresh("skill").toLowerCase();
    const saved = await kioku.skills.saveMarkdown(markdown.replace(`name: ${slug}`, `name: ${other}`));
    expect(saved).toMatchObject({ slug: other, name: "Bake bread", steps: ["Mix", "Bake"] });
    expect(await kioku.skills.save({ slug: other, name: "Bake", steps: ["Bake"] })).toMatchObject({
      steps: ["Bake"],
    });
  });

  it("keeps learnings, ledgers and handoffs", async () => {
    const project_id = fresh("p");
    const learning = {
      project_id,
      trigger: "Red build",
      root_cause: "No lock",
      fix: "Lock",
      prevention: "CI",
    };
    await kioku.learnings.create(learning);
    expect(await all(kioku.learnings.list({ project_id }))).toMatchObject([{ trigger: "Red build" }]);

    const agent_id = fresh("agent");
    await kioku.ledgers.put(agent_id, { current_task: "Ship it" });
    expect(await kioku.ledgers.get(agent_id)).toMatchObject({ current_task: "Ship it" });
    expect(await all(kioku.ledgers.history(agent_id))).toHaveLength(1);

    const to_agent = fresh("agent");
    const { id } = await kioku.handoffs.create({
      from_agent: agent_id,
      to_agent,
      context: { what_was_done: "Half" },
    });
    expect(await all(kioku.handoffs.list({ to_agent }))).toMatchObject([{ id }]);
    expect(await kioku.handoffs.acknowledge(id, { agent_id: to_agent })).toMatchObject({
      status: "acknowledged",
    });
    expect(await kioku.handoffs.get(id)).toMatchObject({ status: "acknowledged" });
  });
});

describe("keys through the client", () => {
  it("are rotated, and the audit log lists that", async () => {
    const tenant = fresh("tenant");
    const made = await admin.keys.create({ tenant });
    const rotated = await admin.keys.rotate(made.id, { overlap_seconds: 60 });
    expect(rotated).toMatchObject({ tenant, scopes: made.scopes, created_by: "admin" });
    const { data } = await admin.audit({ tenant }).page({ limit: 2 });
    expect(data.map(({ action }) => action)).toEqual(["key.rotate", "key.create"]);
  });

  it("are made, listed and deleted with the admin key, and then refused", async () => {
    const tenant = fresh("tenant");
    const { id, key } = await admin.keys.create({ tenant });
    const guest = new Kioku({ url: service.api.url(""), key });
    expect((await guest.recall({ query: "anything" })).count).toBe(0);
    expect(await all(admin.keys.list({ tenant }))).toMatchObject([{ id }]);
    expect(await admin.keys.delete(id)).toBeUndefined();
    await expect(guest.recall({ query: "anything" })).rejects.toMatchObject({
      code: "unauthorized",
      status: 401,
    });
  });
});

describe("a failed call of the client", () => {
  it("names the fields that were wrong, and the request", async () => {
    const wrong = kioku.session(fresh("s")).remember({ content: "", confidence: 7 });
    await expect(wrong).rejects.toMatchObject({
      name: "KiokuError",
      code: "invalid_request",
      status: 400,
      errors: expect.arrayContaining([{ path: "content", message: expect.any(String) }]),
      request_id: expect.stringMatching(/-/),
    });
  });

  it("is a value for those who ask for one", async () => {
    const unknown = await kioku.try(() => kioku.memories.get("nothing"));
    expect(unknown).toMatchObject({ ok: false, error: { code: "not_found" } });
    const health = await kioku.try(() => kioku.health());
    expect(health).toMatchObject({ ok: true, value: { status: "ok" } });
  });
});

describe("work whose answer was lost", () => {
  it("is asked for again and done once", async () => {
    let sent = 0;
    const losing: typeof fetch = async (...request) => {
      const answer = await fetch(...request);
      sent += 1;
      if (sent % 2 === 0) return answer;
      await answer.arrayBuffer();
      throw new TypeError("fetch failed");
    };
    const flaky = new Kioku({ url: service.api.url(""), key: service.api.key ?? "", fetch: losing });
    const id = fresh("s");
    const entries = [{ kind: "note" as const, payload: "once" }];
    expect(await flaky.session(id).thread.append({ entries })).toEqual({ first_seq: 1, last_seq: 1 });
    expect(await flaky.remember({ session_id: id, content: "Said once" })).toMatchObject({
      deduplicated: false,
    });
    expect(await flaky.session(id).tasks.add({ text: "Do it once" })).toMatchObject({ status: "open" });
    expect(sent).toBe(6);
    const session = kioku.session(id);
    expect(await all(session.thread.list({ kind: "note" }))).toHaveLength(1);
    expect(await all(session.tasks.list())).toHaveLength(1);
    expect((await session.recall({ query: "once" })).memories[0]).toMatchObject({ access_count: 0 });
  });

  it("is the same work under a key of the caller's own", async () => {
    const session = kioku.session(fresh("s"));
    const entries = [{ kind: "note" as const, payload: "once" }];
    const idempotency_key = fresh("key");
    const first = await session.thread.append({ entries }, { idempotency_key });
    expect(await session.thread.append({ entries }, { idempotency_key })).toEqual(first);
    const other = session.thread.append({ entries: [...entries, ...entries] }, { idempotency_key });
    await expect(other).rejects.toMatchObject({ code: "conflict" });
  });
});
