// Finds the versions of Node on which a release is tried: on the PATH, where `npm run` puts that of the repository first.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The oldest version that the packages are for, and the one that the repository is tested with. */
const MAJORS = [20, 24];

export interface NodeVersion {
  major: number;
  version: string;
  path: string;
}

/** Throws if one of the versions is missing. */
export function findNodeVersions(): NodeVersion[] {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const paths = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  const found = [process.execPath, ...paths.filter((path) => existsSync(path))].map((path) => {
    const version = execFileSync(path, ["-p", "process.versions.node"], { encoding: "utf8" }).trim();
    return { path, version, major: Number.parseInt(version, 10) };
  });
  return MAJORS.map((major) => {
    const node = found.find((one) => one.major === major);
    if (node === undefined)
      throw new Error(
        `The release is tried on Node ${MAJORS.join(" and ")}, and Node ${major} is not on the PATH.`,
      );
    return node;
  });
}
