// Waits until the deployed service answers as the deployed version. A new address takes a minute to be known
// everywhere, and an updated one may answer as the old version for some seconds.
import { DeployError } from "./run-wrangler.ts";

const TRIES = 60;
const EVERY_MS = 3_000;

/** Network and time, which tests replace. */
export interface HealthProbe {
  get: typeof fetch;
  wait: (ms: number) => Promise<unknown>;
}

export async function waitForHealth(url: string, version: string, { get, wait }: HealthProbe) {
  let last = "no answer";
  for (let left = TRIES; left > 0; left -= 1) {
    const answer = await get(`${url}/health`, { signal: AbortSignal.timeout(10_000) }).catch(() => null);
    const health = await answer?.json<{ version?: string }>().catch(() => null);
    if (answer?.ok && health?.version === version) return;
    if (answer) last = answer.ok ? `version ${health?.version}` : `status ${answer.status}`;
    if (left > 1) await wait(EVERY_MS);
  }
  throw new DeployError(
    `It is deployed, but ${url}/health did not answer as version ${version}: ${last}.\n` +
      "Look at `npx wrangler tail`, and run this again: what is done is found, and it waits anew.",
  );
}
