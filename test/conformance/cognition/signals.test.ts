// Signals, which answer directives, as a list. http/live-signals.test.ts reads them as they happen.
import { describe, expect, it } from "vitest";
import { quietSession } from "../support/actions";
import { fresh } from "../support/client";
import type { Signal, SignalPage } from "../support/contract";
import { bodyOf, expectProblem } from "../support/expectations";
import { serviceUnderTest } from "../support/service";
import { answered, busy, numbersOf, outcome, signalsOf, upsert, wholeThread } from "./cognition";

const kioku = serviceUnderTest();

async function session(): Promise<string> {
  return (await quietSession(kioku.api)).id;
}

describe("the list of signals", () => {
  it("is in order, each with its own number and id, one for every directive", async () => {
    const id = await session();
    const requests = await busy(kioku.api, id, 24);
    const signals = await answered(kioku.api, id, 24);
    expect(signals.map(({ data }) => data.request_id).sort()).toEqual([...requests].sort());
    expect(numbersOf(signals)).toEqual([...new Set(numbersOf(signals))].sort((a, b) => a - b));
    expect(new Set(signals.map((signal) => signal.id)).size).toBe(24);
    const payloads = (await wholeThread<Signal>(kioku.api, id, "kind=signal")).map(
      ({ payload }) => payload.id,
    );
    expect(payloads).toEqual(signals.map((signal) => signal.id));
  });

  it("goes on after a number, page by page", async () => {
    const id = await session();
    await busy(kioku.api, id, 12);
    const signals = await answered(kioku.api, id, 12);
    const path = `/v1/sessions/${id}/signals`;
    const read: Signal[] = [];
    for (let after = 0; read.length < 12; ) {
      const page = bodyOf(await kioku.api.get<SignalPage>(`${path}?after=${after}&limit=5`), 200);
      expect(page.data.length).toBeLessThanOrEqual(5);
      expect(page.next).toBe(page.data.at(-1)?.seq);
      read.push(...page.data);
      after = page.next;
    }
    expect(read).toEqual(signals);
    const last = signals.at(-1)?.seq;
    const end = bodyOf(await kioku.api.get<SignalPage>(`${path}?after=${last}`), 200);
    expect(end).toEqual({ data: [], next: last });
    await outcome(kioku.api, id, upsert("inline", { more: 1 }));
    const more = bodyOf(await kioku.api.get<SignalPage>(`${path}?after=${end.next}`), 200);
    expect(more.data).toHaveLength(1);
  });

  it.each([
    "after=x",
    "after=-1",
    "after=1.5",
    "limit=0",
    "limit=101",
  ])("with %s is refused", async (query) => {
    const field = query.split("=")[0] ?? "";
    const path = `/v1/sessions/${await session()}/signals?${query}`;
    expectProblem(await kioku.api.get(path), "invalid_request", field);
  });

  it("of a session nobody has used is a 404, and of a new one is empty", async () => {
    expectProblem(await kioku.api.get(`/v1/sessions/${fresh("nobody")}/signals`), "not_found");
    expect(await signalsOf(kioku.api, await session())).toEqual([]);
  });
});
