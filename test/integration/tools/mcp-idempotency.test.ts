// The idempotency key of an MCP call: which calls are the same.
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/kernel/hash";
import { canonicalJson } from "../../../src/language/json-text";
import { IDEMPOTENCY_META, readIdempotencyMeta } from "../../../src/mcp/mcp-tools";

const owner = { session_id: "s", agent_id: null, project_id: "shop" };
const args = { content: "The sky is up" };

async function readFingerprint(user_id: string | null): Promise<string | undefined> {
  const call = { name: "remember", args, owner: { ...owner, user_id }, binding: {}, canRead: true };
  return (await readIdempotencyMeta({ [IDEMPOTENCY_META]: "once" }, call))?.fingerprint;
}

describe("the fingerprint of a call", () => {
  it("without a user is the one of versions that knew no users", async () => {
    expect(await readFingerprint(null)).toBe(await sha256Hex(canonicalJson({ given: args, target: owner })));
  });

  it("differs from user to user", async () => {
    const fingerprints = await Promise.all([null, "mia", "ben"].map(readFingerprint));
    expect(new Set(fingerprints).size).toBe(3);
  });
});
