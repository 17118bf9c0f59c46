// The documents' examples, run as they are written: every `sh` block that calls the service, against a fresh
// server; the `json` or `markdown` block after it is the shortened answer, and everything in it must be so.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../conformance/support/client";
import { ownServer } from "../conformance/support/http-service";
import { type DocBlock, expectPrinted, parseBlocks, readDocument } from "./doc-blocks";
import { root, runToEnd } from "./kioku-command";

type Example = { title: string; command: string; answer: DocBlock };

const ANSWERS = ["json", "markdown"];

/** An alarm may be late on a machine that runs other tests. */
const SLEEP_FACTOR = 2;

function examplesIn(markdown: string): Example[] {
  const blocks = parseBlocks(markdown).filter(({ language }) => ["sh", ...ANSWERS].includes(language));
  return blocks.flatMap(({ language, text }, i) => {
    if (language !== "sh" || !text.includes("localhost:8787")) return [];
    const answer = blocks[i + 1];
    if (answer === undefined || !ANSWERS.includes(answer.language))
      throw new Error(`An example without an answer: ${text}`);
    return [{ title: text.split("\n")[0] ?? text, command: text, answer }];
  });
}

/**
 * Pages with examples, and how many there are at least. Each page has its own sessions. They run one after another: a
 * score depends on all texts of the tenant.
 */
const TOURS = [
  ["README.md", 3],
  ["docs/tour.md", 10],
  ["docs/concepts.md", 2],
  ["docs/memory.md", 2],
  ["docs/recall.md", 3],
  ["docs/cognition.md", 8],
  ["docs/layouts.md", 10],
  ["docs/policy.md", 6],
  ["docs/handover.md", 7],
  ["docs/providers.md", 1],
  ["docs/trust.md", 1],
  ["docs/experience.md", 13],
  ["docs/switching.md", 4],
  ["docs/mcp.md", 3],
  ["docs/oauth.md", 3],
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
  const kioku = ownServer({ oauth: true });
  let api: Client;
  // Ids are made of the tenant's name, too.
  beforeAll(async () => {
    api = await kioku.tenant({ name: "local" });
  });

  /** Runs an example as it is written, and returns what it prints. */
  async function run(command: string): Promise<string> {
    const script = command
      .replaceAll("localhost:8787", api.url("").replace("http://", ""))
      .replaceAll(/^sleep (\d)/gm, (_, seconds) => `sleep ${Number(seconds) * SLEEP_FACTOR}`);
    const keys = { KIOKU_API_KEY: api.key ?? "", KIOKU_ADMIN_KEY: kioku.admin.key ?? "" };
    const { code, out, err } = await runToEnd("sh", ["-ec", script], { env: { ...process.env, ...keys } });
    expect(code, err).toBe(0);
    return out;
  }

  describe.each(TOURS)("in %s", (page, atLeast) => {
    const examples = examplesIn(readDocument(page));

    it("of which there are several", () => {
      expect(examples.length).toBeGreaterThanOrEqual(atLeast);
    });

    for (const { title, command, answer } of examples)
      it(title, async () => expectPrinted(await run(command), answer));
  });
});

describe("the documents", () => {
  const scripts: Record<string, string> = JSON.parse(readDocument("package.json")).scripts;
  const inDocs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  const pages = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "bench/README.md",
    ...readdirSync(join(root, "examples"))
      .map((name) => `examples/${name}/README.md`)
      .filter((path) => existsSync(join(root, path))),
    ...inDocs,
  ];

  it("name only npm scripts that exist", () => {
    const named = pages.flatMap((page) =>
      [...readDocument(page).matchAll(/npm run ([a-z:]+)/g)].map(([, name = ""]) => name),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("state the version that the package has", () => {
    expect(readDocument("src/kernel/version.ts")).toContain(
      `"${JSON.parse(readDocument("package.json")).version}"`,
    );
  });

  it("link only to files and headings that exist", () => {
    const broken = pages.flatMap((page) =>
      listLinks(readDocument(page)).flatMap((link) => {
        const [path = "", anchor] = link.split("#");
        const target = path === "" ? page : join(dirname(page), path);
        if (!existsSync(join(root, target))) return [`${page} → ${link}`];
        if (anchor === undefined || listAnchors(readDocument(target)).includes(anchor)) return [];
        return [`${page} → ${link}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it("are all in the index by need", () => {
    const listed = listLinks(readDocument("docs/README.md")).map((link) => join("docs", link));
    const expected = inDocs.filter(
      (page) => page !== "docs/README.md" && !page.startsWith("docs/decisions/"),
    );
    expect(expected.filter((page) => !listed.includes(page))).toEqual([]);
  });

  it("describe every setting of the Worker", () => {
    const settings = [...readDocument("src/kernel/env.ts").matchAll(/^ {2}([A-Z_]+)\?: string;/gm)];
    expect(settings.length).toBeGreaterThan(0);
    const page = readDocument("docs/configuration.md");
    expect(settings.map(([, name = ""]) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it("have pictures that describe themselves", () => {
    const pictures = readdirSync(join(root, "docs/images")).filter((name) => name.endsWith(".svg"));
    expect(pictures.length).toBeGreaterThan(0);
    for (const name of pictures) {
      const svg = readDocument(`docs/images/${name}`);
      expect(svg, name).toMatch(
        /role="img" aria-labelledby="title desc"[\s\S]*<title id="title">[\s\S]*<desc id="desc">/,
      );
    }
  });
});

/** The targets of all links and pictures within the repository. */
function listLinks(markdown: string): string[] {
  const text = markdown.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "``");
  return [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)|(?:src|href)="(?!https?:)([^"]+)"/g)].map(
    ([, link, source]) => link ?? source ?? "",
  );
}

/** The anchors of a page's headings, by GitHub's rules. */
function listAnchors(markdown: string): string[] {
  const text = markdown.replaceAll(/^```[\s\S]*?^```/gm, "");
  const seen = new Map<string, number>();
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}
