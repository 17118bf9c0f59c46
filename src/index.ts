// The Worker: its fetch and cron handlers, and its Durable Object classes.

import { sweep } from "./administration/sweep";
import { createApp } from "./app";
import type { Bindings } from "./kernel/env";

export { IndexerObject } from "../durable-objects/indexer";
export { ProjectObject } from "../durable-objects/project";
export { SessionObject } from "../durable-objects/session";
export { UsageObject } from "../durable-objects/usage";
export { VectorIndexObject } from "../durable-objects/vector-index";
export { WebhookObject } from "../durable-objects/webhooks";

const app = createApp();

export default {
  fetch: app.fetch,
  async scheduled(_controller, env) {
    console.log(JSON.stringify({ event: "sweep", ...(await sweep(env, Date.now())) }));
  },
} satisfies ExportedHandler<Bindings>;
