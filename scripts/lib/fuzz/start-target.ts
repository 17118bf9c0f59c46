// Starts a service of its own for a campaign, with keys of every kind.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { FuzzKey } from "./run-campaign.ts";

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
export async function createFuzzKeys(url: string, adminKey: string): Promise<[FuzzKey, ...FuzzKey[]]> {
  const tenant = `fuzz-${randomBytes(4).toString("hex")}`;
  const create = async (more: { scopes: string[]; bind?: object }): Promise<FuzzKey> => {
    const answer = await fetch(`${url}/v1/keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({ tenant, ...more }),
    });
    if (answer.status !== 201)
      throw new Error(`POST /v1/keys answered ${answer.status}: ${await answer.text()}`);
    const { key } = (await answer.json()) as { key: string };
    return { secret: key, canRead: more.scopes.includes("read") };
  };
  return [
    await create({ scopes: ["read", "write"] }),
    await create({ scopes: ["read"] }),
    await create({ scopes: ["write"] }),
    await create({ scopes: ["read", "write", "admin"] }),
    await create({ scopes: ["read", "write"], bind: { user_id: "fuzz-user" } }),
    { secret: "no-such-key", canRead: true },
    { secret: null, canRead: true },
  ];
}
