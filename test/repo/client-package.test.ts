// What others install: it needs nothing of ours, its types come with it and are those of the service, and the example
// in the README does what it says.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { packagePath } from "../../scripts/lib/build-package";
import { sharedServer } from "../conformance/support/http-service";
import { parseBlocks } from "./doc-blocks";
import { runToEnd } from "./kioku-command";

const root = join(import.meta.dirname, "../..");
const read = (...path: string[]) => readFileSync(join(...path), "utf8");

/** A folder within the repository, from where `kioku/client` is what package.json exports. */
let folder = "";
beforeEach(() => {
  mkdirSync(join(root, "dist"), { recursive: true });
  folder = mkdtempSync(join(root, "dist/user-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("the built client", () => {
  it("imports nothing but pieces of its own", () => {
    const seen = new Set<string>();
    const visit = (file: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const [, name = ""] of read(packagePath, file).matchAll(
        /(?<![/\w])(?:from|import)\s*\(?"([^"]+)"/g,
      )) {
        expect(name, file).toMatch(/^\.\/[\w-]+\.js$/);
        visit(name.slice(2));
      }
    };
    visit("client.js");
  });

  it("has types without zod, without the Worker's, and without Node's", () => {
    const types = join(packagePath, "types/client");
    const files = readdirSync(types);
    expect(files).toContain("index.d.cts");
    for (const file of files) {
      const text = read(types, file);
      expect(text, file).not.toMatch(/zod|cloudflare|workers-types|DurableObject|NodeJS|<reference/);
      for (const [, name = ""] of text.matchAll(/(?:from |import\()"([^"]+)"/g))
        expect(files, file).toContain(name.replace(/^\.\/(.*)\.cjs$/, "$1.d.cts"));
    }
  });

  it("has lines that fit a terminal, since an uncaught error prints the one that threw it", () => {
    const modules = readdirSync(packagePath).filter((file) => file.endsWith(".js") && file !== "cli.js");
    expect(modules).toContain("client.js");
    for (const file of modules)
      for (const line of read(packagePath, file).split("\n")) expect(line.length, file).toBeLessThan(500);
  });

  it("has the types of the service as it is now", async () => {
    const script = join(root, "scripts/client-types.ts");
    const check = await runToEnd(process.execPath, [script, "--check"], { env: process.env });
    expect(check).toMatchObject({ code: 0, err: "" });
  });
});

describe("the client's types, for a program that resolves modules as Node does", () => {
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

  /** The errors in a program of these lines, by number. */
  async function errorsIn(lines: string[]): Promise<number[]> {
    const compilerOptions = {
      module: "nodenext",
      target: "es2022",
      lib: ["es2022", "dom"],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
    };
    const head = 'import { isKiokuError, Kioku, type Memory, type Session } from "kioku/client";';
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["user.ts"] }));
    writeFileSync(join(folder, "user.ts"), [head, "const kioku = new Kioku();", ...lines].join("\n"));
    const { out } = await runToEnd(process.execPath, [tsc, "-p", folder], { env: process.env });
    const found = [...out.matchAll(/^(.*)\((\d+),\d+\): error/gm)];
    expect(found.filter(([, file = ""]) => !file.endsWith("user.ts"))).toEqual([]);
    return found.map(([, , line]) => Number(line) - 3);
  }

  it("take what is right, and the examples of the client's page", async () => {
    const examples = parseBlocks(read(root, "docs/client.md"))
      // A whole Worker is run by the test of its example.
      .filter(({ language, text }) => language === "ts" && !text.includes("export default"))
      .map(({ text }) => `{ ${text.replaceAll(/^(?:import|const kioku =) .*\n/gm, "")} }`);
    expect(examples.length).toBeGreaterThan(6);
    const right = [
      'await kioku.remember({ content: "x", session_id: "s", type: "fact", rationale: undefined });',
      'const made: Session = await kioku.sessions.create({ id: "s" });',
      "await kioku.sessions.create();",
      'await kioku.remember({ content: "x", type: "a_class_of_my_own" });',
      // Editors suggest the known types only if the union keeps them.
      'const known: Extract<Memory["type"], "fact"> = "fact";',
      'for await (const memory of kioku.memories.list({ type: "fact" })) { const same: Memory = memory; }',
      'const text: string = await kioku.session("s").continuity();',
      'const next: string | undefined = (await kioku.session("s").tasks.next())?.text;',
      'const { count } = await kioku.request("POST", "/v1/recall", { body: { query: "x" } });',
      'const turtle: string = await kioku.request("GET", "/v1/ontology", { accept: "text/turtle" });',
      'const result = await kioku.try(() => kioku.memories.get("m")); if (!result.ok) result.error.code;',
      'try { await kioku.health(); } catch (error) { if (isKiokuError(error, "conflict")) error.current_rev; }',
      "export { made, known, text, next, count, turtle };",
    ];
    expect(await errorsIn([...right, 'const id = "m";', ...examples])).toEqual([]);
  });

  it("refuse what is wrong", async () => {
    const wrong = [
      'kioku.remember({ session_id: "s" });',
      'kioku.remember({ content: "x", sesion_id: "s" });',
      'kioku.recall({ query: "x", type: 7 });',
      "kioku.memories.get();",
      "kioku.memories.get(7);",
      'kioku.session("s").context.put("framework");',
      'kioku.session("s").directives.send({ type: "upsert", provider: "d1" });',
      'kioku.recall({ query: "x" }).then(({ cuont }) => cuont);',
      'kioku.request("POST", "/v1/recall", { body: { qeury: "x" } });',
      'kioku.request("GET", "/v1/memories/{id}");',
      'isKiokuError(new Error(), "not_a_code");',
    ];
    expect(await errorsIn(wrong)).toEqual(wrong.map((_, i) => i));
  });
});

describe("the client's example in the README", () => {
  const service = sharedServer();

  it("runs as it stands and prints what it says", async () => {
    const [, example = "", printed = ""] =
      /## In your program[\s\S]*?```js\n([\s\S]*?)```\n```sh\nnode recall\.mjs\n```\n```text\n([\s\S]*?)```/.exec(
        read(root, "README.md"),
      ) ?? [];
    writeFileSync(join(folder, "recall.mjs"), example);
    const {
      code: exit,
      out,
      err,
    } = await runToEnd(process.execPath, [join(folder, "recall.mjs")], {
      env: { ...process.env, KIOKU_URL: service.api.url(""), KIOKU_API_KEY: service.api.key ?? "" },
    });
    expect({ exit, out, err }).toEqual({ exit: 0, out: printed, err: "" });
    expect(printed).not.toBe("");
  });
});
