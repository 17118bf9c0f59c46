import { beforeEach, describe, expect, it } from "vitest";
import { type Client, freshId, newClient } from "../support";

let client: Client;
let id: string;

beforeEach(async () => {
  client = await newClient();
  id = freshId("session");
});

const create = (body: object = {}) => client.call("POST", "/v1/sessions", { id, ...body });
const patch = (body: object) => client.call("PATCH", `/v1/sessions/${id}`, body);
const remember = (body: object) => client.call("POST", `/v1/sessions/${id}/remember`, body);
const listIds = async (query: string) =>
  (await client.call("GET", `/v1/sessions${query}`)).body.data.map((one: { id: string }) => one.id);

async function readObjects(predicate: string): Promise<string[]> {
  const { body } = await client.call("GET", `/v1/sessions/${id}/triples`);
  return body.data
    .filter((triple: { predicate: string }) => triple.predicate === `https://jido.ai/ontology#${predicate}`)
    .map(({ object }: { object: string }) => object.replace("https://jido.ai/ontology#", ""));
}

describe("the phase of a session", () => {
  it("is set, changed and removed, in the answer, the list and the triples", async () => {
    expect((await create({ phase: "planning" })).body.phase).toBe("planning");
    expect(await readObjects("hasPhase")).toEqual(["PlanningPhase"]);
    expect(await listIds("?phase=planning")).toEqual([id]);
    expect((await patch({ phase: "review" })).body.phase).toBe("review");
    expect(await readObjects("hasPhase")).toEqual(["ReviewPhase"]);
    expect(await listIds("?phase=planning")).toEqual([]);
    expect(await listIds("?phase=review")).toEqual([id]);
    // A change of other settings leaves it.
    expect((await patch({ metadata: { a: 1 } })).body.phase).toBe("review");
    expect((await patch({ phase: null })).body.phase).toBeNull();
    expect(await readObjects("hasPhase")).toEqual([]);
    expect((await client.call("POST", `/v1/sessions/${id}/close`)).body.phase).toBeNull();
  });

  it("is none by default, and one of four", async () => {
    expect((await create()).body.phase).toBeNull();
    const wrong = await patch({ phase: "lunch" });
    expect(wrong).toMatchObject({ status: 400 });
    expect(wrong.body.errors[0]).toEqual({
      path: "phase",
      message: "must be one of: planning, implementation, debugging, review",
    });
    expect((await client.call("GET", "/v1/sessions?phase=lunch")).status).toBe(400);
  });

  it("is named as in the ontology, too", async () => {
    expect((await create({ phase: "PlanningPhase" })).body.phase).toBe("planning");
    expect((await patch({ phase: "DebuggingPhase" })).body.phase).toBe("debugging");
    const { data } = (await client.call("GET", "/v1/sessions?phase=DebuggingPhase")).body;
    expect(data).toMatchObject([{ id, phase: "debugging" }]);
  });

  it("a change of the reach is listed, too", async () => {
    await create({ agent_id: "ada", project_id: "shop" });
    await patch({ reach: "project" });
    expect((await client.call("GET", "/v1/sessions")).body.data).toMatchObject([{ id, reach: "project" }]);
  });
});

describe("the agents of a session", () => {
  it("are its own, and those that participate", async () => {
    const { body } = await create({ agent_id: "primary", participating_agents: ["writer", "writer"] });
    expect(body.participating_agents).toEqual(["writer"]);
    expect(await readObjects("hasPrimaryAgent")).toEqual(["agent_primary"]);
    expect(await readObjects("hasParticipatingAgent")).toEqual(["agent_primary", "agent_writer"]);
    await patch({ participating_agents: [] });
    expect(await readObjects("hasParticipatingAgent")).toEqual(["agent_primary"]);
  });

  it("assert what they remember themselves", async () => {
    await create({ agent_id: "primary", participating_agents: ["writer"] });
    const assertedBy = async (content: string, agent_id?: string) => {
      const { body } = await remember({ content, ...(agent_id === undefined ? {} : { agent_id }) });
      return (await client.call("GET", `/v1/memories/${body.memory_id}`)).body.agent_id;
    };
    expect(await assertedBy("Written by the writer", "writer")).toBe("writer");
    expect(await assertedBy("Written by the primary agent")).toBe("primary");
    // An agent that does not participate acts for the session's own.
    expect(await assertedBy("Written by somebody else", "stranger")).toBe("primary");
  });

  it("include those that remember in a session without an agent", async () => {
    await create({ project_id: "shop" });
    await remember({ content: "The first", agent_id: "one" });
    await remember({ content: "The second", agent_id: "two" });
    await remember({ content: "The third", agent_id: "one" });
    expect((await client.call("GET", `/v1/sessions/${id}`)).body.participating_agents).toEqual([
      "one",
      "two",
    ]);
    expect(await readObjects("hasParticipatingAgent")).toEqual(["agent_one", "agent_two"]);
    expect(await readObjects("hasPrimaryAgent")).toEqual([]);
  });

  it("the triples of an unknown session are not found", async () => {
    expect((await client.call("GET", "/v1/sessions/unknown/triples")).status).toBe(404);
  });
});
