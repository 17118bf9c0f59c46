// Checks a package as others will get it: its manifest, its types in every module resolution, and its size.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

export interface PackedPackage {
  /** The packed file. */
  path: string;
  name: string;
  version: string;
  bytes: number;
  problems: string[];
}

/** Bytes of the packed file, by package. The client is loaded by every `npx kioku`. */
const MAX_BYTES: Readonly<Record<string, number>> = { kioku: 100_000, "kioku-server": 12_000_000 };

/** Packs the package in `folder` into `target`, and lists what is wrong with it. */
export async function packAndCheck(folder: string, target: string): Promise<PackedPackage> {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const { name, version }: { name: string; version: string } = manifest;
  const path = await pack(folder, target);
  const tarball = await readFile(path);
  const limit = MAX_BYTES[name] ?? 0;
  const problems = [
    ...(await lintManifest(tarball)),
    ...(manifest.types === undefined ? [] : await checkTypes(tarball)),
    ...(tarball.byteLength > limit ? [`it is packed ${tarball.byteLength} bytes, ${limit} at most`] : []),
  ];
  return { path, name, version, bytes: tarball.byteLength, problems };
}

async function pack(folder: string, target: string): Promise<string> {
  await mkdir(target, { recursive: true });
  const child = spawn("npm", ["pack", "--silent", "--pack-destination", target], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32",
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`npm pack failed in ${folder}`);
  return join(target, basename(output.trim()));
}

async function lintManifest(tarball: Buffer): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: toArrayBuffer(tarball) }, strict: true });
  return messages.map(
    (message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`,
  );
}

async function checkTypes(tarball: Buffer): Promise<string[]> {
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
  if (analysis.types === false) return ["are the types wrong: it has no types"];
  return analysis.problems.map((problem) => `are the types wrong: ${JSON.stringify(problem)}`);
}

function toArrayBuffer(buffer: Buffer): ArrayBuffer {
  const copy = new ArrayBuffer(buffer.byteLength);
  new Uint8Array(copy).set(buffer);
  return copy;
}
