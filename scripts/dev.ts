// `npm run dev`: serves the source with live reload. See docs/operations.md.
import { describeFailure, getExitCode } from "./lib/errors.ts";

try {
  // Imported here, so that missing packages are reported in one clear line.
  const { runDev } = await import("./lib/local/run-dev.ts");
  const { repositoryInstallation } = await import("./lib/installation.ts");
  await runDev(repositoryInstallation, process.argv.slice(2));
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = getExitCode(error);
}
