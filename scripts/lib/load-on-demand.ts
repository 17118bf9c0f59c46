// Loads packages that neither `npm start` nor `npm test` needs. They are installed when they are first used, so that a
// clone does not wait for them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./repository.ts";

/** Versions, and the module that is imported. */
const PACKAGES = {
  assemblyscript: { version: "0.28.20", module: "dist/asc.js" },
  oxigraph: { version: "0.5.11", module: "node.js" },
} as const;

const folder = join(root, "node_modules/.on-demand");

/** Imports one of the packages. `T` is the part of it that the caller uses. */
export async function loadOnDemand<T>(name: keyof typeof PACKAGES): Promise<T> {
  const { version, module } = PACKAGES[name];
  const installed = join(folder, `${name}-${version}`);
  const path = join(installed, "node_modules", name, module);
  if (!existsSync(path)) install(installed, `${name}@${version}`);
  return (await import(pathToFileURL(path).href)) as T;
}

function install(target: string, specifier: string): void {
  console.error(`Installing ${specifier}, which this command needs.`);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "package.json"), '{ "private": true }\n');
  const { status } = spawnSync("npm", ["install", "--silent", "--no-fund", "--no-audit", specifier], {
    cwd: target,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm could not install ${specifier}. Is the npm registry reachable?`);
}
