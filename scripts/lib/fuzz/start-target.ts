// Starts a service of its own for a campaign, with keys of every kind.
import { randomBytes } from "node:crypto";
import { join } from "node:path";

export async function startFuzzTarget(folder: string) {
  // Read when the module loads: a developer's own settings must not affect the campaign.
  process.env.KIOKU_DEV_VARS = join(folder, "dev.vars");
  const { startServer } = await import("../local-server.ts");
  const { buildWorker } = await import("../build-worker.ts");
  await buildWorker();
  const adminKey = randomBytes(32).toString("hex");
  const env = { RATE_LIMIT_READ: "1000000", RATE_LIMIT_WRITE: "1000000" };
  const { url, dispose } = await startServer({ port: 0, persist: folder, adminKey, log: () => {}, env });
  return { url, keys: await createFuzzKeys(url, adminKey), dispose };
}

/** Creates keys of one tenant: a full one, which comes first, a reader, a writer, one bound to a user; and a bad one. */
export async function createFuzzKeys(url: string, adminKey: string): Promise<[string, ...(string | null)[]]> {
  const tenant = `fuzz-${randomBytes(4).toString("hex")}`;
  const create = async (more: object) => {
    const answer = await fetch(`${url}/v1/keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({ tenant, ...more }),
    });
    if (answer.status !== 201)
      throw new Error(`POST /v1/keys answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { key: string }).key;
  };
  return [
    await create({ scopes: ["read", "write"] }),
    await create({ scopes: ["read"] }),
    await create({ scopes: ["write"] }),
    await create({ scopes: ["read", "write", "admin"] }),
    await create({ bind: { user_id: "fuzz-user" } }),
    "no-such-key",
    null,
  ];
}
