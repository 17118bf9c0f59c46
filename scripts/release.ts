// `npm run release [-- --dry-run]`: builds both packages, checks them, installs them into empty projects, and publishes them.
// See CONTRIBUTING.md.
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildPackage, packagePath } from "./lib/build-package.ts";
import { buildServerPackage, serverPackagePath } from "./lib/build-server-package.ts";
import { readMessage } from "./lib/errors.ts";
import { packAndCheck } from "./lib/release/check-package.ts";
import { findNodeVersions } from "./lib/release/find-node.ts";
import { isPublished } from "./lib/release/is-published.ts";
import { tryAdapters, tryPackages } from "./lib/release/try-packages.ts";
import { root } from "./lib/repository.ts";

const started = Date.now();
let folder: string | undefined;

try {
  const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });
  const dryRun = values["dry-run"];
  if (!dryRun) await assertReleasable();
  const versions = findNodeVersions();
  folder = await mkdtemp(join(tmpdir(), "kioku-release-"));

  await buildPackage();
  await buildServerPackage();
  report("built");
  const client = await packAndCheck(packagePath, folder);
  const server = await packAndCheck(serverPackagePath, folder);
  for (const { name, version, bytes, problems } of [client, server]) {
    if (problems.length > 0) throw new Error(`${name} cannot be published:\n${problems.join("\n")}`);
    report(
      `${name} ${version}: ${(bytes / 1000).toFixed(1)} kB packed, its manifest, types and size are right`,
    );
  }

  for (const node of versions)
    await tryPackages(join(folder, `node-${node.major}`), node, { client, server }, (step) =>
      report(`Node ${node.version}: ${step}`),
    );
  for (const node of versions)
    await tryAdapters(join(folder, `adapters-${node.major}`), node, client, (step) =>
      report(`Node ${node.version}: ${step}`),
    );

  if (dryRun) report("A dry run: nothing was published.");
  else
    for (const { name, version, path } of [client, server]) {
      if (await isPublished(name, version)) {
        report(`${name} ${version} is on npm already`);
        continue;
      }
      execFileSync("npm", ["publish", path, "--provenance", "--access", "public"], { stdio: "inherit" });
      report(`published ${name} ${version}`);
    }
} catch (error) {
  console.error(`kioku: ${readMessage(error)}`);
  process.exitCode = 1;
} finally {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

function report(line: string): void {
  console.log(`${((Date.now() - started) / 1000).toFixed(0).padStart(4)} s  ${line}`);
}

/** A release is a commit, with an entry in the changelog. npm signs where the packages were built. */
async function assertReleasable(): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const changelog = await readFile(join(root, "CHANGELOG.md"), "utf8");
  if (!new RegExp(`^## ${version.replaceAll(".", "\\.")} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, "m").test(changelog))
    throw new Error(`CHANGELOG.md has no entry "## ${version} (YYYY-MM-DD)".`);
  const changes = execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  if (changes !== "") throw new Error(`There are changes that are not committed:\n${changes}`);
  if (process.env.GITHUB_ACTIONS === undefined && process.env.GITLAB_CI === undefined)
    throw new Error(
      "npm signs the provenance of packages in CI only: run it on GitHub Actions or GitLab CI.",
    );
}
