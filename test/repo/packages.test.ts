// The packages as others will get them: their manifests, their types in every module resolution, their size, and the program
// in the README. `npm run release -- --dry-run` also installs them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { packagePath } from "../../scripts/lib/build-package";
import { buildServerPackage, serverPackagePath } from "../../scripts/lib/build-server-package";
import { packAndCheck } from "../../scripts/lib/release/check-package";
import { isPublished } from "../../scripts/lib/release/is-published";
import { root } from "../../scripts/lib/repository";
import { sharedServer } from "../conformance/support/http-service";
import { runToEnd } from "./kioku-command";

let folder = "";
beforeAll(async () => {
  folder = mkdtempSync(join(root, "dist/packages-"));
  await buildServerPackage();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each([
  ["kioku", packagePath],
  ["kioku-server", serverPackagePath],
])("the package %s", (name, path) => {
  const manifest = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));

  it("has a right manifest, right types, and a size within its limit", async () => {
    const { problems, bytes, version } = await packAndCheck(path, folder);
    expect({ name, version, problems }).toEqual({ name, version: readVersion("package.json"), problems: [] });
    expect(bytes).toBeGreaterThan(10_000);
  });

  it("can be published by everyone who may, with its provenance", () => {
    const built = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
    expect(built).toMatchObject({
      license: "MIT",
      repository: { type: "git" },
      engines: { node: ">=20" },
      publishConfig: { access: "public", provenance: true },
      keywords: manifest.keywords,
    });
    // The folder itself is not a package, and neither is the repository.
    expect(built.private).toBeUndefined();
    expect(manifest.private).toBe(true);
    expect(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).private).toBe(true);
  });
});

it("kioku needs no other package, and takes the frameworks of its adapters if they are there", () => {
  const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(join(packagePath, "package.json"), "utf8"),
  );
  expect(dependencies).toBeUndefined();
  const imported = ["ai-sdk", "langgraph", "openai", "anthropic"].flatMap((adapter) => {
    const files = [`${adapter}.js`, `types/adapters/${adapter}.d.ts`];
    return files.flatMap((file) =>
      [...readFileSync(join(packagePath, file), "utf8").matchAll(/from ?"((?:@[^/"]+\/)?[^./"][^/"]*)/g)].map(
        ([, name = ""]) => name,
      ),
    );
  });
  expect(Object.keys(peerDependencies).sort()).toEqual([...new Set(imported)].sort());
  for (const name of Object.keys(peerDependencies))
    expect(peerDependenciesMeta[name], name).toEqual({ optional: true });
});

it("kioku-server depends on the packages that the repository is tested with", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { miniflare, wrangler } = devDependencies;
  expect(JSON.parse(readFileSync(join(serverPackagePath, "package.json"), "utf8")).dependencies).toEqual({
    miniflare,
    wrangler,
  });
});

it("a release skips the versions that are on npm", async () => {
  const npm = mkdtempSync(join(folder, "npm-"));
  const answer = (script: string) =>
    writeFileSync(join(npm, "npm"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${npm}:${process.env.PATH}`);
  try {
    answer('[ "$2" = kioku@1.0.0 ] && echo 1.0.0 || true');
    expect(await isPublished("kioku", "1.0.0")).toBe(true);
    expect(await isPublished("kioku", "1.0.1")).toBe(false);
    answer("echo 'npm error code E404' >&2; exit 1");
    expect(await isPublished("kioku", "1.0.0")).toBe(false);
    answer("echo 'npm error code ENOTFOUND' >&2; exit 1");
    await expect(isPublished("kioku", "1.0.0")).rejects.toThrow("ENOTFOUND");
  } finally {
    vi.unstubAllEnvs();
  }
});

it("kioku-server lists its commands", async () => {
  const program = join(serverPackagePath, "bin/kioku-server.js");
  const help = await runToEnd(process.execPath, [program, "--help"], {});
  expect(help).toMatchObject({ code: 0, out: expect.stringMatching(/ start .+\n +deploy /) });
  const wrong = await runToEnd(process.execPath, [program, "strt"], {});
  expect(wrong).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^kioku: There is no command strt\. Did you mean kioku-server start\?\n/),
  });
  const start = await runToEnd(process.execPath, [program, "start", "--help"], {});
  expect(start.out).toContain("--data DIR   the folder of the data (default: .kioku)");
});

describe("the program in the README of kioku", () => {
  const service = sharedServer();

  it("runs as it stands and prints what it says", async () => {
    const readme = readFileSync(join(root, "packages/kioku/README.md"), "utf8");
    const [, example = "", printed = ""] = /```ts\n([\s\S]*?)```\n```text\n([\s\S]*?)```/.exec(readme) ?? [];
    const { code } = await transform(example, { loader: "ts", format: "esm" });
    writeFileSync(join(folder, "example.mjs"), code);
    const env = { ...process.env, KIOKU_URL: service.api.url(""), KIOKU_API_KEY: service.api.key ?? "" };
    const run = await runToEnd(process.execPath, [join(folder, "example.mjs")], { env });
    expect(run).toEqual({ code: 0, out: printed, err: "" });
    expect(printed).not.toBe("");
  });
});

function readVersion(path: string): string {
  return JSON.parse(readFileSync(join(root, path), "utf8")).version;
}
