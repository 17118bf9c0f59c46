import { describe, expect, it } from "vitest";
import {
  ACTIVITY_STEP_MS,
  createRecord,
  type SessionRecord,
  selectForStorage,
} from "../../../src/sessions/session-record";

const AT = Date.parse("2026-01-01T00:00:00.000Z");

function newRecord(changes: Partial<SessionRecord> = {}): SessionRecord {
  const made = createRecord({ tenant: "acme", id: "s" }, {}, new Date(AT).toISOString());
  if (!made.ok) throw new Error("a new record is refused");
  return { ...made.value, ...changes };
}

const usedAt = (ms: number) => newRecord({ updated_at: new Date(AT + ms).toISOString() });

describe("the record of a session is stored", () => {
  const stored = newRecord();

  it("when it is new, or when anything but the time of its last use has changed", () => {
    expect(selectForStorage(null, stored)).toEqual(stored);
    expect(selectForStorage(stored, newRecord())).toBeNull();
    for (const changes of [
      { status: "closed" },
      { promote_at: 1 },
      { messages_sent: 1 },
      { version: 2 },
    ] as const)
      expect(selectForStorage(stored, newRecord(changes))).toMatchObject(changes);
  });

  it("for the time of its last use after a minute, and when the clock goes back", () => {
    expect(selectForStorage(stored, usedAt(ACTIVITY_STEP_MS - 1))).toBeNull();
    expect(selectForStorage(stored, usedAt(ACTIVITY_STEP_MS))).toEqual(usedAt(ACTIVITY_STEP_MS));
    expect(selectForStorage(stored, usedAt(-1))).toEqual(usedAt(-1));
  });

  it("with the times of sending only after a failure", () => {
    const sending = { retry_at: 1, send_at: 2 };
    expect(selectForStorage(stored, newRecord(sending))).toBeNull();
    expect(selectForStorage(stored, newRecord({ ...sending, runs: 1 }))).toMatchObject({
      retry_at: null,
      send_at: null,
    });
    expect(selectForStorage(stored, newRecord({ ...sending, attempts: 1 }))).toMatchObject(sending);
  });
});
