// The idempotency key of an MCP call: which calls are the same.
import { describe, expect, it } from "vitest";
import { IDEMPOTENCY_META, readIdempotencyMeta } from "../../../src/mcp/mcp-tools";

const owner = { session_id: "s", agent_id: null, project_id: "shop" };
const args = { content: "The sky is up", tags: ["weather"] };

async function readFingerprint(given: object, user_id: string | null): Promise<string | undefined> {
  const call = {
    name: "remember",
    args: given,
    owner: { ...owner, user_id },
    binding: {},
    canRead: true,
  };
  return (await readIdempotencyMeta({ [IDEMPOTENCY_META]: "once" }, call))?.fingerprint;
}

describe("the fingerprint of a call", () => {
  it.each([null, "mia"])("is the same for the same arguments in another order, user %s", async (user) => {
    const reordered = { tags: args.tags, content: args.content };
    const fingerprint = await readFingerprint(args, user);
    expect(fingerprint).toEqual(expect.any(String));
    expect(await readFingerprint(reordered, user)).toBe(fingerprint);
  });

  it("differs with the arguments", async () => {
    expect(await readFingerprint({ ...args, content: "The sky is down" }, null)).not.toBe(
      await readFingerprint(args, null),
    );
  });

  it("differs from user to user", async () => {
    const users = [null, "mia", "ben"];
    const fingerprints = await Promise.all(users.map((user) => readFingerprint(args, user)));
    expect(new Set(fingerprints).size).toBe(3);
  });
});
