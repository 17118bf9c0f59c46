// The structure of the source tree: the order of folders, no import cycles, unique names.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/** From top to bottom: a file imports only from its own folder and from the levels below. */
const LEVELS: readonly (readonly string[])[] = [
  ["src/index.ts"],
  ["durable-objects", "src/app.ts"],
  ["src/compat"],
  ["src/mcp"],
  ["src/http"],
  ["src/operations"],
  ["src/session", "src/project"],
  ["src/sparql"],
  ["src/search"],
  ["src/indexing"],
  ["src/store"],
  ["src/vectors"],
  ["src/models"],
  ["src/domain"],
  ["src/text"],
  ["src/schemas"],
  ["src/ontology"],
  ["src/platform"],
  ["src/kernel/limits.ts", "src/kernel/version.ts"],
];

const files = ["src", "durable-objects"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".as.ts"))
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`),
);
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));

/** Type imports count, too: they tie two files together as much as values do. */
function listImports(file: string): string[] {
  const specifiers = (texts.get(file) ?? "").matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g);
  return [...specifiers].flatMap(([, specifier = ""]) => {
    const path = normalize(join(dirname(file), specifier)).replaceAll("\\", "/");
    const target = [path, `${path}.ts`].find((candidate) => texts.has(candidate));
    return target === undefined ? [] : [target];
  });
}

function findLevel(file: string): number {
  return LEVELS.findIndex((folders) =>
    folders.some((folder) => file === folder || file.startsWith(`${folder}/`)),
  );
}

function getFolder(file: string): string {
  return LEVELS[findLevel(file)]?.find((folder) => file === folder || file.startsWith(`${folder}/`)) ?? file;
}

const imports = new Map(files.map((file) => [file, listImports(file)]));

/** Returns the files on a cycle through `start`, or null. */
function findCycle(start: string): string[] | null {
  const visited = new Set<string>();
  const stack = [{ file: start, path: [start] }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    for (const target of imports.get(next.file) ?? []) {
      if (target === start) return [...next.path, start];
      if (visited.has(target)) continue;
      visited.add(target);
      stack.push({ file: target, path: [...next.path, target] });
    }
  }
  return null;
}

/** Groups items by key and returns the groups with more than one. */
function findRepeated(pairs: readonly (readonly [key: string, item: string])[]): Record<string, string[]> {
  const groups = Map.groupBy(pairs, ([key]) => key);
  return Object.fromEntries(
    [...groups]
      .filter(([, group]) => group.length > 1)
      .map(([key, group]) => [key, group.map(([, item]) => item)]),
  );
}

describe("the source tree", () => {
  it("has every file on a level", () => {
    expect(files.length).toBeGreaterThan(200);
    expect(files.filter((file) => findLevel(file) < 0)).toEqual([]);
  });

  it("imports downwards only, and not between folders of one level", () => {
    const wrong = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) =>
          findLevel(target) === findLevel(file)
            ? getFolder(target) !== getFolder(file)
            : findLevel(target) < findLevel(file),
        )
        .map((target) => `${file} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("has no import cycles", () => {
    expect(files.map(findCycle).filter((cycle) => cycle !== null)).toEqual([]);
  });

  it("gives every file a name of its own", () => {
    expect(
      findRepeated(files.filter((file) => file.startsWith("src/")).map((file) => [basename(file), file])),
    ).toEqual({});
  });

  it("exports every name once", () => {
    const exported = [...texts].flatMap(([file, text]) => {
      const names = text.matchAll(
        /^export (?:abstract )?(?:async )?(?:function\*?|const|class|type|interface) (\w+)/gm,
      );
      // A schema and its type share a name and a file.
      return [...new Set([...names].map(([, name = ""]) => name))].map((name) => [name, file] as const);
    });
    expect(exported.length).toBeGreaterThan(500);
    expect(findRepeated(exported)).toEqual({});
  });

  it("names functions by verbs, not by what they are the X of", () => {
    const named = [...texts].flatMap(([file, text]) =>
      [...text.matchAll(/\bfunction (\w+Of)\b/g)].map(([, name]) => `${file}: ${name}`),
    );
    expect(named).toEqual([]);
  });
});

describe("the documents", () => {
  const documents = [
    ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".md"))
      .map((path) => join("docs", path)),
    "README.md",
    "CONTRIBUTING.md",
  ];

  it.each(documents)("%s names files that exist", (document) => {
    const text = readFileSync(join(root, document), "utf8");
    const paths = text.matchAll(/`((?:src|durable-objects|test|scripts|bench|migrations)\/[\w./-]+)`/g);
    expect([...paths].map(([, path = ""]) => path).filter((path) => !existsSync(join(root, path)))).toEqual(
      [],
    );
  });
});
