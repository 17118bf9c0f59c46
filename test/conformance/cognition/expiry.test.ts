// Entries with a time to live: keys of spaces, and items of the ephemeral provider.
import { describe, expect, it, vi } from "vitest";
import { quietSession } from "../support/actions";
import { ISO_MS } from "../support/contract";
import { expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { change, outcome, readContainer, readSpace, upsert } from "./cognition";

const kioku = serviceUnderTest();

const TTL_MS = 1_000;

describe("a time to live", () => {
  it("of a key ends with the key: nothing shows it, and its space has a new rev", async () => {
    const { id } = await quietSession(kioku.api);
    const scratch = { op: "put", key: "scratch", value: { step: 3 }, ttl_ms: TTL_MS };
    const put = await change(kioku.api, id, "world", [scratch, { op: "put", key: "kept", value: 1 }]);
    expect(put.data).toEqual({ scratch: { step: 3 }, kept: 1 });
    const shown = await readSpace<object>(kioku.api, id, "world");
    expect(shown).toMatchObject({ expires: { scratch: expect.stringMatching(ISO_MS) } });
    await vi.waitFor(
      async () => {
        const { data, rev } = await readSpace<object>(kioku.api, id, "world");
        expect({ data, rev }).toEqual({ data: { kept: 1 }, rev: put.rev + 1 });
      },
      { interval: 100, timeout: 10_000 },
    );
    expect((await readContainer(kioku.api, id)).rev).toBe(put.memory_rev + 1);
    expectProblem(await kioku.api.get(`/v1/sessions/${id}/spaces/world/keys/scratch`), "not_found");
  });

  it.each([0, -5, 1.5, 1e12, "60"])("of %j is refused", async (ttl_ms) => {
    const { id } = await quietSession(kioku.api);
    const ops = [{ op: "put", key: "a", value: 1, ttl_ms }];
    const answer = await kioku.api.post(`/v1/sessions/${id}/spaces/world/ops`, { ops });
    expect(expectProblem(answer, "invalid_request", /ttl_ms/).detail).toContain("from 1 to");
  });

  it("of an ephemeral item ends with the item; without one it lives on", async () => {
    const { id } = await quietSession(kioku.api);
    await outcome(kioku.api, id, upsert("ephemeral", { code: "lighthouse 1" }, { opts: { ttl_ms: TTL_MS } }));
    await outcome(kioku.api, id, upsert("ephemeral", { hint: "lighthouse 2" }));
    const keys = { type: "query", provider: "ephemeral", keys: ["code", "hint"] };
    const query = { type: "query", provider: "ephemeral", query: { text: "lighthouse" } };
    await vi.waitFor(
      async () => {
        expect(await outcome(kioku.api, id, keys)).toEqual([{ key: "hint", value: "lighthouse 2" }]);
      },
      { interval: 200, timeout: 10_000 },
    );
    expect(await outcome(kioku.api, id, query)).toMatchObject([{ key: "hint" }]);
  });
});
