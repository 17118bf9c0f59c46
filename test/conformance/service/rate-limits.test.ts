// Limits on the calls of a key.
import { describe, expect, it } from "vitest";
import { bodyOf, expectProblem } from "../support/expectations";
import { configuredService } from "../support/service";

describe("a rate limit", () => {
  const kioku = configuredService({ RATE_LIMIT_WRITE: "5", RATE_LIMIT_READ: "8" });

  it("answers rate_limited with Retry-After, per key, for reads and writes apart", async () => {
    const { api } = kioku;
    const other = await kioku.tenant();
    const writes = [];
    for (let n = 0; n < 12; n += 1) writes.push(await api.post("/v1/sessions", {}));
    const refused = writes.filter((answer) => answer.status !== 201);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    for (const answer of refused) {
      expectProblem(answer, "rate_limited");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    bodyOf(await api.get("/v1/sessions"), 200);
    bodyOf(await other.post("/v1/sessions", {}), 201);
    const reads = [];
    for (let n = 0; n < 20; n += 1) reads.push((await api.get("/v1/sessions")).status);
    expect(reads).toContain(429);
  });
});
