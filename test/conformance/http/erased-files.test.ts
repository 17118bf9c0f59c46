// Erased text leaves every local file: pages, write-ahead logs, text-index segments and compressed values.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { addTask, append, change, makeSpace, outcome } from "../cognition/cognition";
import { learn, statePattern, tellEpisode } from "../experience/experience";
import { checkpoint, handOff } from "../experience/handover";
import { note, setPolicy, takeTurn } from "../policy/policy";
import {
  allPages,
  contents,
  memoriesOf,
  newSession,
  propose,
  quietSession,
  remember,
  say,
} from "../support/actions";
import { fresh } from "../support/client";
import type { Message, Remembered } from "../support/contract";
import { fillEstate, fillSurfaces } from "../support/estate";
import { bodyOf } from "../support/expectations";
import { ownServer } from "../support/http-service";
import { findInFiles, findUnsoundFiles, makeUpWord } from "../support/local-files";

/** More than a thread keeps as rows: the older entries become compressed segments. */
const THREAD_ENTRIES = 2_000;

const persist = mkdtempSync(join(tmpdir(), "kioku-files-"));
afterAll(() => rmSync(persist, { recursive: true }));
const kioku = ownServer({ persist });

/** Stores a word in some places, and returns what erases it from all of them. */
type Scenario = (word: string) => Promise<() => Promise<unknown>>;

const SCENARIOS: Record<string, Scenario> = {
  async tenant(word) {
    const tenant = fresh("tenant");
    const api = await kioku.tenant({ name: tenant });
    const webhook = { url: "https://example.com/hook", events: ["memory.created"] };
    bodyOf(await api.post("/v1/webhooks", webhook), 201);
    await fillEstate(api, word, { user_id: "mia", agent_id: "ada", project_id: "shop" });
    await fillSurfaces(api, word, "mia");
    bodyOf(await api.post("/v1/memories/batch", { memories: [{ content: `${word} in a batch` }] }), 200);
    bodyOf(await api.post("/v1/remember", { content: `${word} once` }, { "idempotency-key": "once" }), 201);
    return () => kioku.admin.delete(`/v1/tenants/${tenant}`);
  },

  async user(word) {
    const api = await kioku.tenant();
    const { id } = await quietSession(api, { user_id: "mia", metadata: { note: word } });
    await say(api, id, [{ role: "user", content: `${word} in a message` }]);
    await remember(api, id, `${word} in a memory`);
    await tellEpisode(api, `${word} in an episode`, { project_id: "shop", user_id: "mia" });
    await fillSurfaces(api, "Nothing", "mia");
    return () => api.delete("/v1/users/mia");
  },

  async agent(word) {
    const api = await kioku.tenant();
    const { id } = await quietSession(api, { agent_id: "ada" });
    await setPolicy(api, "ada", { capture: "conversation", metadata: { note: word } });
    await note(api, "ada", `${word} in an entry`);
    await takeTurn(api, id, `${word} in a turn`, "Noted");
    await checkpoint(api, "ada", { state: { note: word } });
    await handOff(api, "ada", { context: { what_was_done: word } });
    bodyOf(await api.put("/v1/agents/ada", { properties: { agentName: word } }), 200);
    return () => api.delete("/v1/agents/ada");
  },

  async project(word) {
    const api = await kioku.tenant();
    const project_id = "shop";
    await tellEpisode(api, `${word} in an episode`, { project_id });
    await statePattern(api, `${word} in a pattern`, { project_id });
    await learn(api, { trigger: `${word} in a learning`, project_id });
    bodyOf(await api.put("/v1/projects/shop", { properties: { projectName: word } }), 200);
    const file = { project_id, properties: { filePath: word } };
    bodyOf(await api.put("/v1/resources/source_file/main", file), 200);
    return () => api.delete("/v1/projects/shop");
  },

  async session(word) {
    const api = await kioku.tenant();
    const { id } = await newSession(api, { promotion: { interval_ms: 1_000 } });
    await say(api, id, [{ role: "user", content: `My favourite harbour is ${word}` }]);
    await propose(api, id, `${word} in a candidate`, { importance_score: 0.9 });
    const payload = `${word} in the thread`;
    const entries = Array.from({ length: 100 }, () => ({ kind: "note", payload }));
    for (let sent = 0; sent < THREAD_ENTRIES; sent += entries.length) await append(api, id, entries);
    for (const provider of ["inline", "d1", "vector"])
      await outcome(api, id, { type: "upsert", provider, items: [{ key: "k", value: word }] });
    return () => api.delete(`/v1/sessions/${id}?memories=true`);
  },

  async "memory that a living session quotes"(word) {
    const api = await kioku.tenant();
    const { id } = await quietSession(api);
    const input = { content: `${word} in a memory`, rationale: word };
    const call = { type: "tool_use", id: "c1", name: "remember", input };
    bodyOf(await api.post("/v1/tools/execute", { session_id: id, call }), 200);
    const query = { type: "tool_use", id: "c2", name: "recall", input: { query: word } };
    bodyOf(await api.post("/v1/tools/execute", { session_id: id, call: query }), 200);
    const { data } = bodyOf(await api.get<{ data: { id: string }[] }>(`/v1/memories?session_id=${id}`), 200);
    return () => api.delete(`/v1/memories/${data[0]?.id}`);
  },

  async "memory that was promoted in a living session"(word) {
    const api = await kioku.tenant();
    const { id } = await quietSession(api);
    await propose(api, id, `${word} in a candidate`, { importance_score: 0.9 });
    const { promoted } = bodyOf(
      await api.post<{ promoted: Remembered[] }>(`/v1/sessions/${id}/promote`),
      200,
    );
    return () => api.delete(`/v1/memories/${promoted[0]?.memory_id}`);
  },

  async "context key of a living session"(word) {
    const api = await kioku.tenant();
    const { id } = await quietSession(api);
    bodyOf(await api.put(`/v1/sessions/${id}/context/framework`, { value: word }), 200);
    return () => api.delete(`/v1/sessions/${id}/context/framework`);
  },

  async "space of a living session"(word) {
    const api = await kioku.tenant();
    const { id } = await quietSession(api);
    await makeSpace(api, id, "notes", { a: word });
    return () => api.delete(`/v1/sessions/${id}/spaces/notes`);
  },

  async "key of a space of a living session"(word) {
    const api = await kioku.tenant();
    const { id } = await quietSession(api);
    await makeSpace(api, id, "notes", { a: word });
    return () => change(api, id, "notes", [{ op: "delete", key: "a" }]);
  },

  async "task of a living session"(word) {
    const api = await kioku.tenant();
    const { id } = await quietSession(api);
    const task = await addTask(api, id, `${word} in a task`);
    return () => api.delete(`/v1/sessions/${id}/tasks/${task.id}`);
  },

  async "item of a living session"(word) {
    const api = await kioku.tenant();
    const { id } = await quietSession(api);
    await outcome(api, id, { type: "upsert", provider: "inline", items: [{ key: "k", value: word }] });
    return () => outcome(api, id, { type: "delete", provider: "inline", keys: ["k"] });
  },

  async "namespace, ledger, handoff and episode"(word) {
    const api = await kioku.tenant();
    await note(api, "ada", `${word} in an entry`, { namespace: "team" });
    await checkpoint(api, "ada", { state: { note: word } });
    const handoff = await handOff(api, "ada", { context: { what_was_done: word } });
    const episode = await tellEpisode(api, `${word} in an episode`, { project_id: "shop" });
    const paths = ["namespaces/team", "ledgers/ada", `handoffs/${handoff.id}`, `episodes/${episode.id}`];
    return () => Promise.all(paths.map((path) => api.delete(`/v1/${path}`)));
  },

  async "entity of a graph and mem0 memory"(word) {
    const api = await kioku.tenant();
    const { mem0_id } = await fillSurfaces(api, word, "mia");
    return async () => {
      bodyOf(await api.delete(`/mem0/v1/memories/${mem0_id}/`), 200);
      bodyOf(await api.post("/v1/graph/delete_entities", { entityNames: ["Mia"] }), 200);
    };
  },
};

type Filled = { name: string; word: string; erase: () => Promise<unknown> };

/** Plays the scenarios whose names match. */
function fill(pattern = /./): Promise<Filled[]> {
  const chosen = Object.entries(SCENARIOS).filter(([name]) => pattern.test(name));
  return Promise.all(
    chosen.map(async ([name, scenario]) => {
      const word = makeUpWord();
      return { name, word, erase: await scenario(word) };
    }),
  );
}

/** Returns a line for each scenario whose word is in some file. */
function search(filled: readonly Filled[]): string[] {
  const found = findInFiles(
    persist,
    filled.map(({ word }) => word),
  );
  return filled.flatMap(({ name, word }) => (word in found ? `${name}: ${found[word]}` : []));
}

async function eraseAll(filled: readonly Filled[]): Promise<void> {
  for (const { erase } of filled) await erase();
}

async function compact(): Promise<void> {
  await vi.waitFor(async () => {
    const { finished } = bodyOf(await kioku.admin.post<{ finished: boolean }>("/v1/admin/compact", {}), 200);
    expect(finished).toBe(true);
  });
}

describe("the words of everything that was erased", () => {
  it("are in no file after compaction of the running service", async () => {
    const filled = await fill();
    expect(search(filled)).toHaveLength(filled.length);
    await eraseAll(filled);
    await compact();
    expect(search(filled)).toEqual([]);
  });

  it("are in no file if only sessions have deleted something", async () => {
    const filled = await fill(/^(context key|space|key of a space|task|item) /);
    expect(search(filled)).toHaveLength(5);
    for (const one of filled) {
      await one.erase();
      await compact();
      expect(search([one])).toEqual([]);
    }
  });

  it("are in no file after a stop", async () => {
    const filled = await fill();
    await eraseAll(filled);
    expect(search(filled)).not.toEqual([]);
    await kioku.stop();
    expect(search(filled)).toEqual([]);
    await kioku.restart();
  });

  it("are in no file after a power cut and the next start", async () => {
    const filled = await fill(/^(user|context key)/);
    await eraseAll(filled);
    await kioku.kill9();
    expect(search(filled)).toHaveLength(2);
    await kioku.restart();
    expect(search(filled)).toEqual([]);
  });
});

const WRITERS = 4;
const COMPACTIONS = 6;

describe("compaction beside writers", () => {
  it("fails no call, loses no write and leaves every file sound", async () => {
    const api = await kioku.tenant();
    let isCompacting = true;
    const written = new Map<string, string[]>();
    const writers = Array.from({ length: WRITERS }, async () => {
      const { id } = await newSession(api, { promotion: { interval_ms: 1_000 } });
      const facts: string[] = [];
      written.set(id, facts);
      for (let n = 0; isCompacting; n += 1) {
        await say(api, id, [{ id: `m${n}`, role: "user", content: `Message ${n}` }]);
        await remember(api, id, `Fact ${n} of ${id}`);
        bodyOf(await api.post(`/v1/sessions/${id}/recall`, { query: `Fact ${n}` }), 200);
        facts.push(`Fact ${n} of ${id}`);
      }
    });
    const compactor = async () => {
      for (let n = 0; n < COMPACTIONS; n += 1) {
        const body = { content: `Erased soon ${n}` };
        const { memory_id } = bodyOf(await api.post<Remembered>("/v1/remember", body), 201);
        bodyOf(await api.delete(`/v1/memories/${memory_id}`), 200);
        bodyOf(await kioku.admin.post("/v1/admin/compact", {}), 200);
      }
    };
    await Promise.all([...writers, compactor().finally(() => (isCompacting = false))]);
    for (const [id, facts] of written) {
      expect(contents(await memoriesOf(api, id))).toEqual(expect.arrayContaining(facts));
      const messages = await allPages<Message>(api, `/v1/sessions/${id}/messages`);
      expect(messages).toHaveLength(facts.length);
    }
    await kioku.stop();
    expect(findUnsoundFiles(persist)).toEqual([]);
  });
});
