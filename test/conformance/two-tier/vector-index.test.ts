// The vector index as whoever runs the service sees it. http/reembedding.test.ts embeds everything anew.
import { describe, expect, it } from "vitest";
import { newSession, remember } from "../support/actions";
import { fresh } from "../support/client";
import type { IndexState } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";

describe("the state of the index", () => {
  const kioku = serviceUnderTest();
  const path = "/v1/admin/index";

  it("says what it is, what it is made with, and that nothing waits for long", async () => {
    const { id } = await newSession(kioku.api);
    await remember(kioku.api, id, "Soon in the index");
    await kioku.indexed();
    const state = bodyOf(await kioku.admin.get<IndexState>(path), 200);
    expect(state).toMatchObject({
      index: expect.stringMatching(/\S/),
      embedder: expect.stringMatching(/\S/),
      dimensions: expect.any(Number),
      matches: true,
      reembedding: false,
      waiting: expect.any(Number),
    });
    const { index, embedder, dimensions } = state;
    expect(state.made_with).toEqual({ index, embedder, dimensions });
  });

  it("counts what waits of the tenant that is named", async () => {
    const none = bodyOf(await kioku.admin.get<IndexState>(`${path}?tenant=${fresh("tenant")}`), 200);
    expect(none.waiting).toBe(0);
    expectProblem(await kioku.admin.get(`${path}?tenant=not%20an%20id`), "invalid_request", "tenant");
  });

  it("is for administrators: of the service, or of the one tenant they name", async () => {
    const name = fresh("tenant");
    const owner = await kioku.tenant({ name, scopes: ["admin"] });
    expectProblem(await kioku.anonymous.get(path), "unauthorized");
    expectProblem(await kioku.api.get(path), "forbidden");
    expectProblem(await owner.get(path), "forbidden");
    expectProblem(await owner.get(`${path}?tenant=${fresh("tenant")}`), "forbidden");
    bodyOf(await owner.get(`${path}?tenant=${name}`), 200);
  });

  it("is changed by re-embedding only for the administrator of the service", async () => {
    const owner = await kioku.tenant({ scopes: ["admin"] });
    const reembed = "/v1/admin/reembed";
    expectProblem(await kioku.anonymous.post(reembed, {}), "unauthorized");
    expectProblem(await kioku.api.post(reembed, {}), "forbidden");
    expectProblem(await owner.post(reembed, {}), "forbidden");
    expectProblem(await kioku.admin.post(reembed, { fast: true }), "invalid_request", "fast");
  });
});
