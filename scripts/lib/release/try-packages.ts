// Installs the packed packages into empty projects and uses them as a reader of the README would: both module systems, strict
// types in both module resolutions, plain npm commands afterwards, and a service that answers.
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { readMessage } from "../errors.ts";
import { root } from "../repository.ts";
import type { PackedPackage } from "./check-package.ts";
import type { NodeVersion } from "./find-node.ts";
import { collectOutput, createUserProject, type UserProject } from "./user-project.ts";

const TSC = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
const START_TIMEOUT_MS = 120_000;

/** Reports a finished step. */
export type ReportStep = (step: string) => void;

/** Uses the client, the command line and the service on one version of Node. */
export async function tryPackages(
  folder: string,
  node: NodeVersion,
  { client, server }: { client: PackedPackage; server: PackedPackage },
  report: ReportStep,
): Promise<void> {
  const project = await createUserProject(folder, node);
  await project.npm("install", client.path);
  assert.ok(existsSync(join(folder, "node_modules/kioku/client.js")));
  report("npm install kioku");

  await project.write("esm.mjs", 'import { Kioku } from "kioku"; console.log(typeof Kioku);');
  await project.write("cjs.cjs", 'console.log(require("kioku").Kioku === require("kioku/client").Kioku);');
  assert.equal(await project.node("esm.mjs"), "function\n");
  assert.equal(await project.node("cjs.cjs"), "true\n");
  report("import and require");

  await compileTypes(project, CLIENT_PROGRAM, false);
  report("tsc --strict, node16 and bundler, ES modules and CommonJS");

  await project.npm("install", server.path);
  await project.npm("install");
  await project.npm("ls", "--all");
  assert.equal((await project.npm("exec", "--", "kioku", "--version")).trim(), client.version);
  assert.equal((await project.npm("exec", "--", "kioku-server", "--version")).trim(), server.version);
  report("npm install kioku-server, npm install, npm ls, npx kioku, npx kioku-server");

  await tryService(project);
  report("npx kioku-server start, remember and recall with the installed client");
}

/**
 * Compiles programs that use each adapter with its framework: the version that the repository is tested with, and the
 * oldest one that the package takes.
 */
export async function tryAdapters(
  folder: string,
  node: NodeVersion,
  client: PackedPackage,
  report: ReportStep,
): Promise<void> {
  const { devDependencies: tested } = await readManifest("package.json");
  const { peerDependencies: ranges } = await readManifest("packages/kioku/package.json");
  // The frameworks' own peer.
  const core = `@langchain/core@${tested["@langchain/core"]}`;
  const sets = {
    tested: Object.keys(ranges).map((name) => `${name}@${tested[name]}`),
    oldest: Object.entries(ranges).map(([name, range]) => `${name}@${range.replace(/^\^/, "")}`),
  };
  for (const [name, frameworks] of Object.entries(sets)) {
    const project = await createUserProject(join(folder, name), node);
    await project.npm("install", client.path, ...frameworks, core);
    await project.npm("ls");
    await tryInstalledAdapters(project);
    report(`adapters beside their frameworks: ${frameworks.join(", ")}`);
  }
}

async function tryInstalledAdapters(project: UserProject): Promise<void> {
  // Frameworks have errors of their own in their declarations. Unchecked, an import that does not exist is `any`.
  await compileTypes(project, ADAPTERS_PROGRAM, true);
  await compileTypes(project, ADAPTERS_PROGRAM, false).catch((error: unknown) => {
    if (/^node_modules\/kioku\//m.test(readMessage(error))) throw error;
  });
  await project.write("esm.mjs", ADAPTERS.map((name) => `await import("kioku/${name}");`).join("\n"));
  await project.write("cjs.cjs", ADAPTERS.map((name) => `require("kioku/${name}");`).join("\n"));
  await project.node("esm.mjs");
  await project.node("cjs.cjs");
}

type Manifest = Record<"devDependencies" | "peerDependencies", Record<string, string>>;

async function readManifest(path: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(root, path), "utf8"));
}

const ADAPTERS = ["ai-sdk", "langgraph", "openai", "anthropic"];

const CLIENT_PROGRAM = `import { isKiokuError, Kioku, type Memory } from "kioku";
import { Kioku as Same } from "kioku/client";
const kioku: Kioku = new Same({ url: "http://127.0.0.1:8787", key: "kioku_x" });
export async function list(): Promise<Memory[]> {
  const found: Memory[] = [];
  for await (const memory of kioku.memories.list({ type: "fact" })) found.push(memory);
  return found;
}
export const isMissing = (error: unknown): boolean => isKiokuError(error, "not_found");
// @ts-expect-error: the field is misspelt.
export const wrong = () => kioku.remember({ contents: "x" });
`;

const ADAPTERS_PROGRAM = `import { Kioku } from "kioku";
import { kiokuMiddleware, kiokuTools } from "kioku/ai-sdk";
import { anthropicTools, kiokuMemoryTool } from "kioku/anthropic";
import { KiokuStore } from "kioku/langgraph";
import { openaiTools } from "kioku/openai";
const kioku = new Kioku({ url: "http://127.0.0.1:8787", key: "kioku_x" });
const owner = { session_id: "s", user_id: "u" };
export const store: KiokuStore = new KiokuStore(kioku, { project_id: "p" });
export const middleware = kiokuMiddleware(kioku, owner);
export const memory = kiokuMemoryTool(kioku, { agent_id: "a" });
export const tools = () => Promise.all([kiokuTools(kioku, owner), openaiTools(kioku, owner), anthropicTools(kioku, owner)]);
// @ts-expect-error: the owner is not a number.
export const wrong = () => openaiTools(kioku, 7);
`;

async function compileTypes(project: UserProject, program: string, skipLibCheck: boolean): Promise<void> {
  const options = {
    strict: true,
    noEmit: true,
    target: "es2022",
    lib: ["es2023", "dom"],
    types: [],
    skipLibCheck,
  };
  const settings = [
    { module: "node16", moduleResolution: "node16", files: ["user.mts", "user.cts"] },
    { module: "esnext", moduleResolution: "bundler", files: ["user.ts"] },
  ];
  for (const { files, ...resolution } of settings) {
    for (const file of files) await project.write(file, program);
    await project.write(
      "tsconfig.json",
      JSON.stringify({ compilerOptions: { ...options, ...resolution }, files }),
    );
    await project.node(TSC, "-p", ".");
  }
}

async function tryService(project: UserProject): Promise<void> {
  const port = await findFreePort();
  const child = project.startNpm("exec", "--", "kioku-server", "start", "--port", String(port));
  const output = collectOutput(child);
  try {
    const key = await waitForKey(child, output.all);
    const url = `http://127.0.0.1:${port}`;
    assert.equal((await fetch(`${url}/health`)).status, 200);
    await project.write("service.mjs", SERVICE_PROGRAM);
    assert.equal(await project.node("service.mjs", url, key), "Ada is allergic to walnuts\n");
    assert.equal(await readFile(join(project.folder, ".kioku/local-key"), "utf8"), key);
  } finally {
    await stopGroup(child);
  }
}

const SERVICE_PROGRAM = `import { Kioku } from "kioku";
const [url, key] = process.argv.slice(2);
const kioku = new Kioku({ url, key });
await kioku.session("one").remember({ user_id: "ada", content: "Ada is allergic to walnuts" });
const { memories } = await kioku.session("two").recall({ user_id: "ada", query: "allergic" });
console.log(memories[0].content);
`;

async function waitForKey(child: ChildProcess, readOutput: () => string): Promise<string> {
  for (
    const end = Date.now() + START_TIMEOUT_MS;
    Date.now() < end && child.exitCode === null;
    await wait(200)
  ) {
    const [, key] = /key {6}(\S+)/.exec(readOutput()) ?? [];
    if (key !== undefined) return key;
  }
  throw new Error(`kioku-server does not start:\n${readOutput()}`);
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("close", resolve));
  process.kill(-child.pid, "SIGTERM");
  await ended;
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
