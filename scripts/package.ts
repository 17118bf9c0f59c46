// `npm run package`, which also runs after every install: builds the package with the client, the adapters and the CLI.
import { isMissingModule } from "./lib/errors.ts";

try {
  const { buildPackage } = await import("./lib/build-package.ts");
  await buildPackage();
} catch (error) {
  // An install without development packages cannot build it, and needs no client.
  if (!isMissingModule(error)) throw error;
}
