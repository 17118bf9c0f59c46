// The same content, remembered again: metadata and tags are merged, properties are updated.
import { beforeEach, describe, expect, it } from "vitest";
import { newTenant, rebuild, type Tenant } from "../store/long-term-support";

let kioku: Tenant;

beforeEach(async () => {
  kioku = await newTenant();
});

describe.each([
  { where: "in a session", owner: { session_id: "s" } },
  { where: "in a project", owner: { project_id: "shop" } },
])("$where", ({ owner }) => {
  it("stores metadata and tags, sorted, and returns them everywhere", async () => {
    const labels = { metadata: { team: "web", size: 2, open: true, ids: ["b", "a"] }, tags: ["z", "a", "z"] };
    const id = await kioku.remember({ session_id: undefined, ...owner, content: "Labelled", ...labels });
    const stored = { metadata: labels.metadata, tags: ["a", "z"] };
    expect(await kioku.memory(id)).toMatchObject(stored);
    const { body } = await kioku.call("POST", "/v1/recall", { ...owner, query: "labelled" });
    expect(body.memories[0]).toMatchObject(stored);
  });

  it("merges metadata by key and unites tags", async () => {
    const input = { session_id: undefined, ...owner, content: "Labelled" };
    await kioku.remember({ ...input, metadata: { team: "web", size: 2 }, tags: ["b"] });
    const id = await kioku.remember({ ...input, metadata: { size: 3, open: false }, tags: ["a"] });
    expect(await kioku.memory(id)).toMatchObject({
      metadata: { team: "web", size: 3, open: false },
      tags: ["a", "b"],
    });
    const before = await kioku.contents();
    await rebuild(kioku.tenant);
    expect((await kioku.contents()).memories).toEqual(before.memories);
  });

  it("updates the properties that it names and keeps the others", async () => {
    const input = { session_id: undefined, ...owner, content: "Write the invoice", type: "task" };
    await kioku.remember({ ...input, properties: { hasTaskStatus: "Planned", assignedTo: "ada" } });
    const id = await kioku.remember({ ...input, properties: { hasTaskStatus: "Completed" } });
    expect((await kioku.memory(id)).properties).toEqual({
      hasTaskStatus: ["Completed"],
      assignedTo: ["ada"],
    });
    const before = await kioku.contents();
    await rebuild(kioku.tenant);
    expect((await kioku.contents()).memories).toEqual(before.memories);
  });

  it("refuses labels that would exceed the limits together, and names the way out", async () => {
    const input = { ...owner, content: "Labelled" };
    const keys = (from: number) =>
      Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key${from + i}`, i]));
    const tags = (from: number) => Array.from({ length: 20 }, (_, i) => `tag${from + i}`);
    await kioku.call("POST", "/v1/remember", { ...input, metadata: keys(0), tags: tags(0) });
    for (const more of [{ metadata: keys(40) }, { tags: tags(20) }]) {
      const { status, body } = await kioku.call("POST", "/v1/remember", { ...input, ...more });
      expect([status, body.code]).toEqual([429, "limit_exceeded"]);
      expect(body.detail).toContain("PATCH /v1/memories/");
    }
  });
});

it.each([
  { labels: { metadata: { deep: { er: 1 } } }, path: "metadata.deep" },
  { labels: { metadata: { a: [1] } }, path: "metadata.a.0" },
  { labels: { tags: ["x".repeat(65)] }, path: "tags.0" },
  { labels: { tags: Array.from({ length: 33 }, (_, i) => `${i}`) }, path: "tags" },
])("refuses $path", async ({ labels, path }) => {
  const input = { content: "Labelled", project_id: "shop", ...labels };
  const { status, body } = await kioku.call("POST", "/v1/remember", input);
  expect(status).toBe(400);
  expect(body.errors[0].path).toBe(path);
});
