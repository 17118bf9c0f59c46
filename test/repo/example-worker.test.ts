// The Worker of the examples beside the built service, in one workerd: its calls go through the service binding.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Kioku } from "../../client/index";
import { type LocalServer, type ServerOptions, startServer } from "../../scripts/lib/local-server.ts";
import { root } from "./kioku-command";

const example = join(root, "examples/service-binding");
const adminKey = "admin-key-of-the-example";
let state = "";
let server: LocalServer | undefined;

async function start(caller?: ServerOptions["caller"]): Promise<LocalServer> {
  server = await startServer({ port: 0, persist: state, adminKey, log: () => {}, ...(caller && { caller }) });
  return server;
}

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "kioku-binding-"));
  const { url, dispose } = await start();
  const { key } = await new Kioku({ url, key: adminKey }).keys.create({ tenant: "example" });
  await dispose();
  const { outputFiles } = await build({
    ...{ entryPoints: [join(example, "index.ts")], bundle: true, write: false, format: "esm" },
    // The published package, not the sources that tsconfig.json points to.
    tsconfigRaw: {},
  });
  // The secret is a binding of the calling Worker, as wrangler sets it.
  await start({ name: "kioku-caller", script: outputFiles[0]?.text ?? "", bindings: { KIOKU_API_KEY: key } });
}, 60_000);
afterAll(async () => {
  await server?.dispose();
  await rm(state, { recursive: true });
});

async function send(path: string, body?: string) {
  const init = body === undefined ? {} : { method: "POST", body };
  const response = await fetch(`${server?.callerUrl}${path}`, init);
  return { status: response.status, body: await response.json() };
}

describe("a Worker with a service binding", () => {
  it("remembers and recalls for its users, as its README says", async () => {
    const readme = await readFile(join(example, "README.md"), "utf8");
    const calls = [...readme.matchAll(/^curl -sS "http:\/\/127\.0\.0\.1:8788(\S+)"(?: -d "(.*)")?$/gm)];
    const answers = /```json\n([\s\S]*?)```/.exec(readme)?.[1]?.trimEnd().split("\n") ?? [];
    expect(calls).toHaveLength(3);
    const replies = [];
    for (const [, path = "", body] of calls) replies.push(await send(path, body));
    const [created, ...recalled] = answers.map((answer) => JSON.parse(answer));
    const memory_id = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(created).toEqual({ memory_id });
    expect(replies[0]).toMatchObject({ status: 201, body: { memory_id } });
    expect(replies.slice(1).map(({ body }) => body)).toEqual(recalled);
  });

  it("answers a mistake of its user with the reason", async () => {
    expect(await send("/notes?user=anna", "")).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining("content") },
    });
  });

  it("names the service as wrangler.toml does", async () => {
    const config = await readFile(join(example, "wrangler.jsonc"), "utf8");
    const name = /^name = "(.*)"/m.exec(await readFile(join(root, "wrangler.toml"), "utf8"))?.[1];
    expect(config).toContain(`{ "binding": "KIOKU", "service": "${name}" }`);
  });
});

describe("Kioku.fromBinding", () => {
  it("sends every call to the binding, with the key", async () => {
    const seen: (string | null)[] = [];
    const binding = {
      base: "",
      async fetch(this: { base: string }, url: string, init?: RequestInit) {
        seen.push(this.base + new URL(url).pathname, new Headers(init?.headers).get("authorization"));
        return Response.json({ count: 0, memories: [] });
      },
    };
    await Kioku.fromBinding(binding, { key: "k" }).recall({ user_id: "anna", query: "x" });
    expect(seen).toEqual(["/v1/recall", "Bearer k"]);
  });

  it("says how to bind the service if it is not bound", () => {
    // The type that `wrangler types` gives a binding.
    const env = {} as { KIOKU: Fetcher };
    expect(() => Kioku.fromBinding(env.KIOKU, { key: "k" })).toThrow(/"binding": "KIOKU"/);
  });
});
