// The SHACL gate: a write of properties or relations that violates a shape is refused and changes nothing; warnings are
// named in the answer.
import { beforeEach, describe, expect, it } from "vitest";
import { newTenant, type Tenant } from "../store/long-term-support";
import { freshId } from "../support";

let kioku: Tenant;

beforeEach(async () => {
  kioku = await newTenant();
});

const EARLY = { taskStartedAt: "2026-01-06T09:00:00Z", taskCompletedAt: "2026-01-05T09:00:00Z" };
const VIOLATION = {
  path: "properties.taskStartedAt",
  message:
    "A task is not completed before it is started: give a taskCompletedAt that is not before taskStartedAt.",
};

const remember = (body: object, session_id: string | undefined = kioku.session) =>
  kioku.call("POST", "/v1/remember", { type: "task", content: freshId("task"), session_id, ...body });

async function countMemories(): Promise<number> {
  const { body } = await kioku.call("GET", "/v1/memories?include_superseded=true");
  return body.data.length;
}

describe("a violation", () => {
  it.each([
    ["in a session", true],
    ["without one", false],
  ])("is refused by remember %s, with the path and the message of the shape", async (_name, inSession) => {
    const { status, body } = await remember({ properties: EARLY }, inSession ? kioku.session : undefined);
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: "unprocessable", errors: [VIOLATION] });
    expect(await countMemories()).toBe(0);
  });

  it("refuses one item of a batch, not the others", async () => {
    const memories = [
      { content: "Build it", type: "task", properties: EARLY },
      { content: "Test it", type: "task" },
    ];
    const { status, body } = await kioku.call("POST", "/v1/memories/batch", { memories });
    expect(status).toBe(200);
    expect(body.results[0].error).toMatchObject({ code: "unprocessable", errors: [VIOLATION] });
    expect(body.results[1].remembered).toBe(true);
    expect(await countMemories()).toBe(1);
  });

  it("is refused by a change, in place or of the content", async () => {
    const { body } = await remember({ properties: { taskStartedAt: EARLY.taskStartedAt } });
    const late = { taskCompletedAt: EARLY.taskCompletedAt };
    for (const change of [{ properties: late }, { properties: late, content: "Something else" }]) {
      const refused = await kioku.call("PATCH", `/v1/memories/${body.memory_id}`, change);
      expect(refused.status).toBe(422);
      expect(refused.body.errors).toEqual([VIOLATION]);
    }
    expect((await kioku.memory(body.memory_id)).properties).toEqual({
      taskStartedAt: ["2026-01-06T09:00:00.000Z"],
    });
    expect(await countMemories()).toBe(1);
  });

  it("is refused where it only comes about by the merge with what is stored", async () => {
    const content = freshId("task");
    await remember({ content, properties: { taskStartedAt: EARLY.taskStartedAt } });
    const again = await remember({ content, properties: { taskCompletedAt: EARLY.taskCompletedAt } });
    expect(again.status).toBe(422);
    expect(again.body.errors).toEqual([VIOLATION]);
  });
});

describe("a warning", () => {
  it("is named by remember, by a batch and by a change, which store the memory", async () => {
    const decision = { content: "Use D1", type: "decision" };
    const expected = ["rationale: A decision should say why it was taken: give a rationale."];
    const remembered = await remember(decision);
    expect(remembered).toMatchObject({ status: 201, body: { warnings: expected } });
    const batch = await kioku.call("POST", "/v1/memories/batch", {
      memories: [{ ...decision, content: "Use R2" }],
    });
    expect(batch.body.results[0]).toMatchObject({ remembered: true, warnings: expected });
    const status = { properties: { decisionStatus: "perhaps" } };
    const changed = await kioku.call("PATCH", `/v1/memories/${remembered.body.memory_id}`, status);
    expect(changed.status).toBe(200);
    expect(changed.body.warnings).toEqual([
      ...expected,
      "decisionStatus: The status of a decision should be proposed, accepted, deprecated or rejected.",
    ]);
  });

  it("is absent where nothing is missing", async () => {
    const { body } = await remember({ content: "The API speaks JSON", type: "fact" });
    expect(body).not.toHaveProperty("warnings");
    const changed = await kioku.call("PATCH", `/v1/memories/${body.memory_id}`, { confidence: 0.4 });
    expect(changed.body).not.toHaveProperty("warnings");
  });
});
