// Builds the documentation for language models: /llms.txt, the index of https://llmstxt.org, /llms-full.txt, all of it in
// one file, and the pages that the index links to, under /llms/ with their paths in the repository.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join, posix, relative } from "node:path";
import { replaceFile } from "./replace-file.ts";
import { root } from "./repository.ts";

const target = join(root, "dist/assets/llms");
const README = "README.md";
const INDEX = "docs/README.md";

export async function buildLlms(): Promise<void> {
  const pages = await readPages();
  const files = new Map([...pages, ["llms.txt", renderIndex(pages)], ["llms-full.txt", renderAll(pages)]]);
  for (const [path, text] of files) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await replaceFile(join(target, path), text);
  }
  // A page that is gone from the repository is no longer served.
  const present = await listFiles(target);
  await Promise.all(
    present.filter((path) => !files.has(path)).map((path) => rm(join(target, path), { force: true })),
  );
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return (
    entries
      // Names with a leading dot are temporary files, perhaps of another build.
      .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
  );
}

/** Reads the README, all pages in docs, and what else the index links to, by path. */
async function readPages(): Promise<ReadonlyMap<string, string>> {
  const inDocs = (await listFiles(join(root, "docs"))).filter((name) => name.endsWith(".md"));
  const indexed = listPages(await readFile(join(root, INDEX), "utf8")).map(({ path }) => path);
  const paths = new Set([README, ...inDocs.map((name) => `docs/${name}`), ...indexed]);
  // A dead link fails the test of the documents, not the build.
  const present = [...paths].filter((path) => existsSync(join(root, path)));
  return new Map(
    await Promise.all(present.map(async (path) => [path, await readFile(join(root, path), "utf8")] as const)),
  );
}

/** The index by need as lists of links, each with the need that it serves. */
function renderIndex(pages: ReadonlyMap<string, string>): string {
  const [, title = "", summary = ""] = /^# (.+)\n\n(.+)\n/.exec(pages.get(README) ?? "") ?? [];
  const sections = (pages.get(INDEX) ?? "").split(/^## /m).slice(1);
  return [
    `# ${title}\n`,
    `> ${summary.replaceAll("**", "")}\n`,
    "All pages in one file: [/llms-full.txt](/llms-full.txt). The API as OpenAPI: [/openapi.json](/openapi.json).\n",
    ...sections.map((section) => {
      const links = listPages(section).filter(({ path }) => pages.has(path));
      return `## ${section.split("\n")[0]}\n\n${links.map(renderLink).join("\n")}\n`;
    }),
  ].join("\n");
}

type IndexedPage = { label: string; path: string; need: string };

function listPages(section: string): IndexedPage[] {
  const rows = [...section.matchAll(/^\| (.+?) \| (.+) \|$/gm)];
  return rows.flatMap(([, need = "", links = ""]) =>
    [...links.matchAll(/\[([^\]]+)\]\(([^)]+\.md)\)/g)].map(([, label = "", link = ""]) => ({
      label,
      path: posix.join("docs", link),
      need,
    })),
  );
}

function renderLink({ label, path, need }: IndexedPage): string {
  return `- [${label}](/llms/${path}): ${need}`;
}

/** The README and the pages of the index, in its order, each under its path. */
function renderAll(pages: ReadonlyMap<string, string>): string {
  const paths = new Set([README, ...listPages(pages.get(INDEX) ?? "").map(({ path }) => path)]);
  return [...paths].map((path) => renderPage(path, pages.get(path))).join("");
}

function renderPage(path: string, text: string | undefined): string {
  return text === undefined ? "" : `<!-- ${path} -->\n\n${text}\n`;
}
