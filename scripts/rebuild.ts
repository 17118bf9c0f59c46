// `npm run rebuild [-- --tenant x]`: rebuilds the read model and the text index from the triples. Uses the running server;
// without one, serves the local data meanwhile.
import { withAdminApi } from "./lib/admin/admin-api.ts";
import { rebuild } from "./lib/admin/rebuild.ts";
import { buildWorker } from "./lib/build-worker.ts";
import { repositoryInstallation } from "./lib/installation.ts";

await withAdminApi(repositoryInstallation, buildWorker, (call) => rebuild(call, process.argv.slice(2)));
