import { describe, expect, it } from "vitest";
import { RecentValues, runAhead } from "../../src/kernel/run-ahead";

describe("runAhead", () => {
  it("begins with the value of the last call, and repeats the work if it has changed", async () => {
    const recent = new RecentValues<{ reach: string }>();
    const worked: string[] = [];
    const run = (reach: string) =>
      runAhead(
        recent,
        "session",
        async () => ({ reach }),
        async (value) => {
          worked.push(value.reach);
          return value.reach;
        },
      );
    expect([await run("agent"), await run("agent"), await run("user")]).toEqual(["agent", "agent", "user"]);
    expect(worked).toEqual(["agent", "agent", "agent", "user"]);
  });

  it("ignores the failure of work on an outdated value, and reports one on the current value", async () => {
    const recent = new RecentValues<string>();
    const run = (value: string) =>
      runAhead(
        recent,
        "session",
        async () => value,
        async (given) => {
          if (given === "bad") throw new Error("bad");
          return given;
        },
      );
    await expect(run("bad")).rejects.toThrow("bad");
    await expect(run("bad")).rejects.toThrow("bad");
    expect(await run("good")).toBe("good");
  });

  it("repeats work that was behind what was read meanwhile", async () => {
    const recent = new RecentValues<string>();
    const runs: string[] = [];
    const run = (isBehind: boolean) =>
      runAhead(
        recent,
        "session",
        async () => "same",
        async () => {
          runs.push("run");
          return runs.length;
        },
        () => isBehind,
      );
    expect([await run(true), await run(false), await run(true)]).toEqual([1, 2, 4]);
  });

  it("reports that the value cannot be read, whatever the work returned", async () => {
    const recent = new RecentValues<string>();
    recent.set("session", "known", Date.now());
    const refused = runAhead(
      recent,
      "session",
      () => Promise.reject(new Error("erased")),
      async (value) => value,
    );
    await expect(refused).rejects.toThrow("erased");
  });
});

describe("recent values", () => {
  it("are forgotten after ten seconds, when the clock is set back, and by prefix", () => {
    const recent = new RecentValues<number>();
    recent.set("a 1", 1, 1_000);
    expect([recent.find("a 1", 10_999), recent.find("a 1", 11_000), recent.find("a 1", 999)]).toEqual([
      1,
      undefined,
      undefined,
    ]);
    recent.set("b 1", 2, 1_000);
    recent.forget("a");
    expect([recent.find("a 1", 1_000), recent.find("b 1", 1_000)]).toEqual([undefined, 2]);
  });
});
