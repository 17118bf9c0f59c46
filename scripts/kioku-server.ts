#!/usr/bin/env node
// `kioku-server`: serves or deploys the built Worker of the package that this file is in. scripts/lib/build-server-package.ts
// bundles it; in the repository, `npm start` and `npm run deploy` do the same.
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { findNearest } from "../cli/suggest.ts";
import type { SelectModule } from "./lib/deploy/plan-deployment.ts";
import { describeFailure, getExitCode, readMessage, UsageError } from "./lib/errors.ts";
import type { Installation } from "./lib/installation.ts";

const USAGE = `kioku-server <command> [options]

  start     serve Kioku on this machine, without an account
  deploy    deploy Kioku to your Cloudflare account, or update it
  reembed   make all vectors anew, after a change of embedder
  rebuild   make the read model and the text index anew

kioku-server start --help and kioku-server deploy --help list their options.`;

const COMMANDS = ["start", "deploy", "reembed", "rebuild"];

const root = join(import.meta.dirname, "..");
const userDir = process.cwd();

/** Data is in the user's folder: npm replaces the folder of the package. */
const packageInstallation: Installation = {
  root,
  configPath: join(root, "wrangler.json"),
  workerPath: join(root, "worker/worker.js"),
  userDir,
  stateDir: resolve(userDir, process.env.KIOKU_STATE_DIR ?? ".kioku"),
  deployDir: resolve(userDir, ".kioku"),
  deployCwd: userDir,
  findDevVars: (stateDir) => resolve(userDir, process.env.KIOKU_DEV_VARS ?? join(stateDir, ".dev.vars")),
  describeCommand: (name, options = "") => `npx kioku-server ${name} ${options}`.trimEnd(),
};

const isBuilt = async () => {};

async function run([command, ...argv]: readonly string[]): Promise<void> {
  switch (command) {
    case "start": {
      const { runStart } = await import("./lib/local/run-start.ts");
      return runStart(packageInstallation, argv);
    }
    case "deploy": {
      const { runDeploy } = await import("./lib/deploy/run-deploy.ts");
      return runDeploy(packageInstallation, argv, loadSelectModule).catch((error: unknown) => {
        console.error(`kioku: ${readMessage(error)}`);
        process.exitCode = 1;
      });
    }
    case "reembed":
    case "rebuild": {
      const { withAdminApi } = await import("./lib/admin/admin-api.ts");
      const { reembed } = await import("./lib/admin/reembed.ts");
      const { rebuild } = await import("./lib/admin/rebuild.ts");
      return withAdminApi(packageInstallation, isBuilt, (call) =>
        command === "reembed" ? reembed(call) : rebuild(call, argv),
      );
    }
    case "--version":
      console.log(JSON.parse(await readFile(join(root, "package.json"), "utf8")).version);
      return;
    case "--help":
    case "-h":
    case "help":
      console.log(USAGE);
      return;
    case undefined:
      throw new UsageError("A command is missing.", USAGE);
    default: {
      const nearest = findNearest(command, COMMANDS);
      const meant = nearest === undefined ? "" : ` Did you mean kioku-server ${nearest}?`;
      throw new UsageError(`There is no command ${command}.${meant}`, USAGE);
    }
  }
}

/** Bundled beside this file. */
function loadSelectModule(): Promise<SelectModule> {
  return import(pathToFileURL(join(import.meta.dirname, "select-embedder.js")).href);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = getExitCode(error);
}
