// `npm run package`: builds both packages. After every install, with `--client`: the client, the adapters and the command
// line only, which the repository's own programs import as `kioku`.
import { isMissingModule } from "./lib/errors.ts";

try {
  const { buildPackage } = await import("./lib/build-package.ts");
  await buildPackage();
  if (!process.argv.includes("--client")) {
    const { buildServerPackage } = await import("./lib/build-server-package.ts");
    await buildServerPackage();
  }
} catch (error) {
  // An install without development packages cannot build it, and needs no client.
  if (!isMissingModule(error)) throw error;
}
