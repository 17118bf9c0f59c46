// Where the service's own files are, and where a user's data goes. There are two: this repository, and the package
// `kioku-server` (scripts/lib/build-server-package.ts). Everything that serves or deploys the built Worker takes one.
import { join, resolve } from "node:path";
import { root } from "./repository.ts";

export interface Installation {
  /** The folder from which the paths in wrangler's configuration are relative. */
  root: string;
  /** wrangler's configuration, with the bindings of the Worker. */
  configPath: string;
  /** The built Worker. The modules that it imports are beside it. */
  workerPath: string;
  /** The folder from which a user's paths are relative. */
  userDir: string;
  /** The folder of local data, unless an option names another one. */
  stateDir: string;
  /** The folder of the configurations that are deployed. */
  deployDir: string;
  /** The folder in which wrangler deploys. */
  deployCwd: string;
  /** Returns the file of local settings and secrets. */
  findDevVars(stateDir: string): string;
  /** Returns the line that runs a command of this installation. */
  describeCommand(name: CommandName, options?: string): string;
}

type CommandName = "start" | "dev" | "deploy" | "reembed" | "rebuild";

/** Tests move data and secrets by variables, to leave a developer's own alone. */
export const repositoryInstallation: Installation = {
  root,
  configPath: join(root, "wrangler.toml"),
  workerPath: join(root, "dist/worker.js"),
  // npm runs scripts in the root, wherever it is called.
  userDir: process.env.INIT_CWD ?? process.cwd(),
  stateDir: resolve(root, process.env.KIOKU_STATE_DIR ?? ".wrangler/state"),
  deployDir: join(root, ".kioku"),
  deployCwd: root,
  findDevVars: () => resolve(root, process.env.KIOKU_DEV_VARS ?? ".dev.vars"),
  describeCommand(name, options) {
    const command = name === "start" ? "npm start" : `npm run ${name}`;
    return options === undefined ? command : `${command} -- ${options}`;
  },
};
