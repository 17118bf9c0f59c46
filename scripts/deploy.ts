// `npm run deploy`: deploys Kioku to your Cloudflare account, or updates it. Safe to repeat. See docs/deploy.md.
import { isMissingModule, readMessage } from "./lib/errors.ts";

try {
  // Imported here, so that missing packages are reported in one clear line.
  const { runDeploy } = await import("./lib/deploy/run-deploy.ts");
  const { importSource } = await import("./lib/import-source.ts");
  const { repositoryInstallation } = await import("./lib/installation.ts");
  await runDeploy(repositoryInstallation, process.argv.slice(2), () =>
    importSource("src/models/embedders/select-embedder.ts"),
  );
} catch (error) {
  console.error(
    `kioku: ${isMissingModule(error) ? "Packages are missing: run npm ci." : readMessage(error)}`,
  );
  process.exitCode = 1;
}
