// `npm start`: builds the Worker and serves it on this machine. See docs/operations.md.
import { describeFailure, getExitCode } from "./lib/errors.ts";

try {
  // Imported here, so that missing packages are reported in one clear line.
  const { runStart } = await import("./lib/local/run-start.ts");
  const { repositoryInstallation } = await import("./lib/installation.ts");
  const { buildWorker } = await import("./lib/build-worker.ts");
  // The tests start the service many times and build the Worker once.
  const build = process.env.KIOKU_BUILT === "1" ? undefined : buildWorker;
  await runStart(repositoryInstallation, process.argv.slice(2), build);
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = getExitCode(error);
}
