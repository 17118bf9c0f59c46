import { beforeEach, describe, expect, it } from "vitest";
import { ObjectAlarm } from "../../src/kernel/alarm";

const NOW = 1_000_000;
const SOON = NOW + 1_000;
const LATER = NOW + 2_000;

let platform: { time: number | null; calls: string[] };
let alarm: ObjectAlarm;

/** The alarm of an object that was just loaded, with this on the platform. */
function load(time: number | null): void {
  platform = { time, calls: [] };
  const note = (call: string, next: number | null) => {
    platform.calls.push(call);
    platform.time = next;
  };
  alarm = new ObjectAlarm(
    {
      getAlarm: async () => {
        platform.calls.push("get");
        return platform.time;
      },
      setAlarm: async (at) => note("set", Number(at)),
      deleteAlarm: async () => note("delete", null),
    },
    () => NOW,
  );
}

beforeEach(() => load(null));

describe("the alarm of an object", () => {
  it("is left alone when the platform has it as it should be", async () => {
    load(SOON);
    await alarm.read();
    await alarm.set(SOON);
    await alarm.set(SOON);
    expect(platform.calls).toEqual(["get"]);
  });

  it("is set again when the platform has lost it", async () => {
    await alarm.read();
    await alarm.set(SOON);
    expect(platform.time).toBe(SOON);
  });

  it("is set again when it is overdue: the platform may have lost it without saying so", async () => {
    load(NOW - 1);
    await alarm.read();
    await alarm.set(NOW - 1);
    expect(platform.calls).toEqual(["get", "set"]);
  });

  it("is deleted when nothing is due, whether it is overdue or not", async () => {
    for (const time of [NOW - 1, SOON]) {
      load(time);
      await alarm.read();
      await alarm.set(null);
      expect(platform.time).toBeNull();
    }
  });

  it("is set again in alarm() for the same time as before", async () => {
    await alarm.set(SOON);
    platform.time = null;
    await alarm.read();
    await alarm.set(SOON);
    expect(platform.time).toBe(SOON);
  });

  it("is right although nobody has read it", async () => {
    load(LATER);
    expect(alarm.isRead).toBe(false);
    await alarm.set(null);
    expect(platform.time).toBeNull();
  });

  it("is on its way before anything is waited for", () => {
    void alarm.set(SOON);
    expect(platform.time).toBe(SOON);
  });

  it("gives way to an earlier time, and not to a later one", async () => {
    load(LATER);
    await alarm.read();
    await alarm.setNoLater(LATER + 1);
    expect(platform.time).toBe(LATER);
    await alarm.setNoLater(SOON);
    expect(platform.time).toBe(SOON);
  });

  it("can be set for the same time after the object's storage was deleted", async () => {
    await alarm.set(SOON);
    platform.time = null;
    alarm.markDeleted();
    await alarm.set(SOON);
    expect(platform.time).toBe(SOON);
  });
});
