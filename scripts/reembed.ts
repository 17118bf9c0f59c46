// `npm run reembed`: embeds every memory and message again, after a change of embedder. Uses the running server; without one,
// serves the local data meanwhile.
import { withAdminApi } from "./lib/admin/admin-api.ts";
import { reembed } from "./lib/admin/reembed.ts";
import { buildWorker } from "./lib/build-worker.ts";
import { repositoryInstallation } from "./lib/installation.ts";

await withAdminApi(repositoryInstallation, buildWorker, reembed);
