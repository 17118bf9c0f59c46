// Completes the manifest of a published package: the folders in packages/ have their own fields, and the repository's
// package.json has the fields that all packages share.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../repository.ts";

export interface PackageManifest {
  name: string;
  version: string;
  /** Paths by the name of the command. */
  bin: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  [field: string]: unknown;
}

/** Returns the manifest of packages/`folder`. Dependencies have the versions that the repository has. */
export async function createPackageManifest(folder: string): Promise<PackageManifest> {
  const shared = await readJson("package.json");
  const { private: _, dependencies, ...own } = await readJson(`packages/${folder}/package.json`);
  const { version, license, repository, engines } = shared;
  return {
    ...own,
    version,
    license,
    repository,
    engines,
    ...(dependencies && { dependencies: pinVersions(Object.keys(dependencies), shared) }),
    publishConfig: { access: "public", provenance: true },
  };
}

function pinVersions(names: readonly string[], shared: PackageManifest): Record<string, string> {
  const versions = { ...shared.dependencies, ...shared.devDependencies };
  return Object.fromEntries(
    names.map((name) => {
      const version = versions[name];
      if (version === undefined) throw new Error(`package.json has no version of ${name}`);
      return [name, version];
    }),
  );
}

async function readJson(path: string): Promise<PackageManifest> {
  return JSON.parse(await readFile(join(root, path), "utf8"));
}
