// The documents' examples, run as they are written: every `sh` block that calls the service, against a fresh
// server; the `json` or `markdown` block after it is the shortened answer, and everything in it must be so.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer } from "../conformance/support/server";
import { runToEnd } from "./kioku-command";

type Example = { title: string; command: string; kind: "json" | "markdown"; answer: string };

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function examplesIn(markdown: string): Example[] {
  const blocks = [...markdown.matchAll(/```(sh|json|markdown)\n([\s\S]*?)```/g)].map(
    ([, kind = "", text = ""]) => ({
      kind,
      text,
    }),
  );
  return blocks.flatMap(({ kind, text }, i) => {
    if (kind !== "sh" || !text.includes("localhost:8787")) return [];
    const next = blocks[i + 1];
    if (next?.kind !== "json" && next?.kind !== "markdown")
      throw new Error(`An example without an answer: ${text}`);
    return [{ title: text.split("\n")[0] ?? text, command: text, kind: next.kind, answer: next.text }];
  });
}

/** Pages with examples, and how many there are at least. Each page has sessions of its own. */
const TOURS = [
  ["README.md", 10],
  ["docs/cognition.md", 8],
  ["docs/layouts.md", 10],
  ["docs/policy.md", 6],
  ["docs/handover.md", 7],
  ["docs/experience.md", 13],
  ["docs/switching.md", 4],
  ["docs/mcp.md", 3],
  ["docs/users.md", 5],
  ["docs/memories.md", 5],
  ["docs/agents.md", 5],
  ["docs/operations.md", 2],
  ["docs/erasure.md", 1],
  ["docs/privacy.md", 2],
  ["docs/webhooks.md", 1],
  ["docs/why.md", 2],
  ["docs/time.md", 5],
  ["docs/sparql.md", 1],
  ["docs/rdf.md", 3],
  ["docs/ontology.md", 2],
  ["docs/backup.md", 1],
] as const;

describe("an example answers as printed", () => {
  let server: Awaited<ReturnType<typeof startTestServer>>;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  describe.each(TOURS)("in %s", (page, atLeast) => {
    const examples = examplesIn(read(page));

    it("of which there are several", () => {
      expect(examples.length).toBeGreaterThanOrEqual(atLeast);
    });

    for (const { title, command, kind, answer } of examples) {
      it(title, async () => {
        const script = command.replaceAll("localhost:8787", server.url.replace("http://", ""));
        const env = { ...process.env, KEY: server.key, ADMIN_KEY: server.adminKey };
        const { code, out: output, err } = await runToEnd("sh", ["-ec", script], { env });
        expect(code, err).toBe(0);
        if (kind === "markdown") {
          expect(output.split("\n")).toEqual(expect.arrayContaining(answer.trim().split("\n")));
          return;
        }
        const last = output.lastIndexOf("}{") + 1;
        expect(output.slice(0, last)).not.toContain("/problems/");
        expect(JSON.parse(output.slice(last))).toMatchObject(JSON.parse(answer));
      });
    }
  });
});

describe("the documents", () => {
  const scripts: Record<string, string> = JSON.parse(read("package.json")).scripts;
  const pages = [
    "README.md",
    "bench/README.md",
    "examples/chat-agent/README.md",
    ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`),
  ];

  it("name only npm scripts that exist", () => {
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/npm run ([a-z:]+)/g)].map(([, name = ""]) => name),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("state the version that the package has", () => {
    expect(read("src/version.ts")).toContain(`"${JSON.parse(read("package.json")).version}"`);
  });

  it("link only to files that exist", () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#]+)\)/g)].flatMap(([, target = ""]) => {
        try {
          readdirSync(join(root, dirname(page), target));
          return [];
        } catch (error) {
          return (error as NodeJS.ErrnoException).code === "ENOTDIR" ? [] : [`${page} → ${target}`];
        }
      }),
    );
    expect(broken).toEqual([]);
  });
});
