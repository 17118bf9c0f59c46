// remember, recall and forget without a session in the path, and how far a recall reaches.
import { describe, expect, it } from "vitest";
import { ids, newSession, readMemory, recall, remember } from "../support/actions";
import { fresh } from "../support/client";
import type { Forgotten, Hit, Recalled, Remembered } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

const kioku = serviceUnderTest();

type Fields = Record<string, unknown>;

async function rememberIn(body: Fields): Promise<string> {
  return bodyOf(await kioku.api.post<Remembered>("/v1/remember", body), 201).memory_id;
}

async function recallIn(body: Fields): Promise<Hit[]> {
  return bodyOf(await kioku.api.post<Recalled>("/v1/recall", body), 200).memories;
}

describe("without a session in the path", () => {
  it("a session in the body is the same session", async () => {
    const session = fresh("session");
    const id = await rememberIn({ session_id: session, content: "By body" });
    expect(ids(await recall(kioku.api, session))).toEqual([id]);
    expect(ids(await recallIn({ session_id: session, query: "body" }))).toEqual([id]);
    const body = { session_id: session, memory_id: id, reason: "Done" };
    expect(bodyOf(await kioku.api.post<Forgotten>("/v1/forget", body), 200)).toMatchObject({
      forgotten: true,
      memory_id: id,
    });
    expect(await recallIn({ session_id: session })).toEqual([]);
  });

  it("an agent remembers for itself", async () => {
    const [agent_id, other] = [fresh("agent"), fresh("agent")];
    const id = await rememberIn({ agent_id, content: "Known to the agent" });
    expect(await readMemory(kioku.api, id)).toMatchObject({ agent_id, session_id: null });
    expect(ids(await recallIn({ agent_id }))).toEqual([id]);
    expect(await recallIn({ agent_id: other })).toEqual([]);
  });

  it("a project remembers for all who work on it", async () => {
    const [project_id, other] = [fresh("project"), fresh("project")];
    const id = await rememberIn({ project_id, content: "Known to the project" });
    expect(await readMemory(kioku.api, id)).toMatchObject({ project_id });
    expect(ids(await recallIn({ project_id }))).toEqual([id]);
    expect(await recallIn({ project_id: other })).toEqual([]);
  });

  it("an agent's duplicates and topics work as a session's do", async () => {
    const agent_id = fresh("agent");
    const first = await rememberIn({ agent_id, content: "Port 1", key: "port" });
    const again = await kioku.api.post<Remembered>("/v1/remember", {
      agent_id,
      content: "Port 1",
      key: "port",
    });
    expect(bodyOf(again, 200)).toMatchObject({ memory_id: first, deduplicated: true });
    const second = await rememberIn({ agent_id, content: "Port 2", key: "port" });
    expect((await readMemory(kioku.api, first)).superseded_by).toBe(second);
    expect(ids(await recallIn({ agent_id }))).toEqual([second]);
  });

  it("remember stores what nobody owns in the project default, and says so", async () => {
    const api = await kioku.tenant();
    const stored = bodyOf(await api.post<Remembered>("/v1/remember", { content: "For nobody" }), 201);
    expect(stored).toMatchObject({ scope: { kind: "project", id: "default" } });
    const body = { project_id: "default", query: "nobody" };
    expect(ids(bodyOf(await api.post<Recalled>("/v1/recall", body), 200).memories)).toEqual([
      stored.memory_id,
    ]);
  });

  it("recall of a session that does not exist yet answers from the owner that the call names", async () => {
    const agent_id = fresh("agent");
    const memory_id = await rememberIn({ agent_id, content: "Port 3" });
    const session_id = fresh("nobody");
    expect(ids(await recallIn({ session_id, agent_id }))).toEqual([memory_id]);
    expect(await recallIn({ session_id })).toEqual([]);
    expectProblem(await kioku.api.get(`/v1/sessions/${session_id}`), "not_found");
  });
});

describe("scope", () => {
  async function world() {
    const [agent_id, project_id] = [fresh("agent"), fresh("project")];
    const here = await newSession(kioku.api, { agent_id, project_id });
    const sameAgent = await newSession(kioku.api, { agent_id });
    const sameProject = await newSession(kioku.api, { project_id });
    const stranger = await newSession(kioku.api);
    const word = fresh("word").replaceAll("-", "");
    const say = async (session: string, name: string) =>
      (await remember(kioku.api, session, `${word} ${name}`)).memory_id;
    return {
      here: here.id,
      agent_id,
      project_id,
      query: word,
      memories: {
        here: await say(here.id, "here"),
        sameAgent: await say(sameAgent.id, "same agent"),
        sameProject: await say(sameProject.id, "same project"),
        stranger: await say(stranger.id, "stranger"),
      },
    };
  }

  it("session, agent, project and tenant reach ever further", async () => {
    const { here, query, memories } = await world();
    const reach = async (scope: string) =>
      ids(await recall(kioku.api, here, { scope, query, mode: "text" })).sort();
    expect(await reach("session")).toEqual([memories.here]);
    expect(await reach("agent")).toEqual([memories.here, memories.sameAgent].sort());
    expect(await reach("project")).toEqual([memories.here, memories.sameProject].sort());
    expect(await reach("tenant")).toEqual(Object.values(memories).sort());
  });

  it("defaults to the session's reach, else to the narrowest owner that is given", async () => {
    const { here, agent_id, project_id, query, memories } = await world();
    const reach = async (body: Fields) => ids(await recallIn({ query, mode: "text", ...body })).sort();
    expect(await reach({ session_id: here, agent_id, project_id })).toEqual(
      [memories.here, memories.sameAgent].sort(),
    );
    expect(await reach({ agent_id, project_id })).toEqual([memories.here, memories.sameAgent].sort());
    expect(await reach({ project_id })).toEqual([memories.here, memories.sameProject].sort());
    expect(await reach({})).toEqual(Object.values(memories).sort());
  });

  it("that is unknown is refused", async () => {
    expectProblem(await kioku.api.post("/v1/recall", { scope: "galaxy" }), "invalid_request", "scope");
  });
});
