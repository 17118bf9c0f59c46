// What the caller's tenant stores, and its quotas.
import { QUOTA_KINDS } from "../../../domain/quotas";
import { COGNITION } from "../../../limits";
import { Usage } from "../../../schemas/tenant/usage";
import type { App } from "../../app-context";
import { groupRoutes } from "../../endpoint";
import { countStreams } from "../../limit-streams";

export function usageRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Usage" });

  routes.get("/v1/usage", "getUsage", {
    summary: "Read what the tenant stores, and its quotas",
    description: "The counts are those of the moment at which the call was authenticated.",
    looksUpKey: true,
    responses: { 200: { description: "The usage", schema: Usage, example: USAGE_EXAMPLE } },
    handle: async ({ services: { tenant, usage, quotas } }) => {
      const limits = Object.fromEntries(QUOTA_KINDS.map((kind) => [kind, quotas[kind] || null]));
      return {
        ...usage,
        streams: countStreams(tenant),
        limits: { ...limits, streams: COGNITION.streamsPerTenant },
      };
    },
  });
}

const USAGE_EXAMPLE = {
  memories: 1_204,
  messages: 5_310,
  sessions: 87,
  episodes: 12,
  bytes: 1_904_220,
  streams: 2,
  limits: {
    memories: 1_000_000,
    messages: 2_000_000,
    sessions: 200_000,
    episodes: 200_000,
    bytes: 1_000_000_000,
    streams: COGNITION.streamsPerTenant,
  },
};
