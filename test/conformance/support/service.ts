// The service under test: the Worker in the runtime of the tests, without a socket between them; or one that runs
// elsewhere, given by KIOKU_TEST_URL and KIOKU_TEST_ADMIN_KEY.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { inject } from "vitest";
import worker from "../../../src/index";
import type { Bindings } from "../../../src/kernel/env";
import { getIndexer } from "../../../src/recall/vectors/semantic-services";
import { openService, type Service } from "./open-service";

const url = "https://kioku.test";
const adminKey = env.ADMIN_KEY ?? "";

const drainIndexer = (tenant: string) => getIndexer(env, tenant).drain(tenant);

export function serviceUnderTest(): Service {
  const outside = inject("outsideService");
  return openService(async () =>
    outside === null
      ? { url, adminKey, drainIndexer, fetch: (address, init) => exports.default.fetch(address, init) }
      : { ...outside, fetch: (address, init) => fetch(address, init) },
  );
}

type Settings = { [name in keyof Bindings]?: Bindings[name] | undefined };

/** The Worker with other settings. Its Durable Objects keep those of the tests. */
export function configuredService(settings: Settings): Service {
  return openService(async () => ({
    url,
    adminKey,
    async fetch(address, init) {
      const request = new Request(address, init);
      // The administrator creates tenants for all files of the runtime: no limit counts these calls.
      if (address === `${url}/v1/keys`) return exports.default.fetch(request);
      const context = createExecutionContext();
      const response = await worker.fetch(request, { ...env, ...settings }, context);
      await waitOnExecutionContext(context);
      return response;
    },
  }));
}
