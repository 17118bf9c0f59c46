// Waits until the deployed service answers as the version that was deployed. A new address takes a minute to be known
// everywhere, and an updated one may answer as it was for some seconds.
import { DeployError } from "./deploy-wrangler.mjs";

const TRIES = 60;
const EVERY_MS = 3_000;

/** `get` is fetch and `wait` takes milliseconds; both come in, so that a test needs neither network nor time. */
export async function waitForHealth(url, version, { get, wait }) {
  let last = "no answer";
  for (let left = TRIES; left > 0; left -= 1) {
    const answer = await get(`${url}/health`, { signal: AbortSignal.timeout(10_000) }).catch(() => null);
    const health = await answer?.json().catch(() => null);
    if (answer?.ok && health?.version === version) return;
    if (answer) last = answer.ok ? `version ${health?.version}` : `status ${answer.status}`;
    if (left > 1) await wait(EVERY_MS);
  }
  throw new DeployError(
    `It is deployed, but ${url}/health did not answer as version ${version}: ${last}.\n` +
      "Look at `npx wrangler tail`, and run this again: what is done is found, and it waits anew.",
  );
}
