// The structure of the source tree: the order of folders, no import cycles, unique names.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/**
 * The rooms of the source tree, from top to bottom. At run time a room imports only from itself and from rooms below it.
 * Types may point up, as long as no two files import each other. A room of its own stands before the feature it is in.
 */
const ROOMS: readonly string[] = [
  "src/index.ts",
  "durable-objects",
  "src/app.ts",
  "src/compat",
  "src/mcp",
  "src/tools",
  "src/http",
  "src/services",
  "src/administration",
  "src/transfer",
  "src/owners",
  "src/policy",
  "src/experience",
  "src/sessions",
  "src/cognition",
  "src/graph",
  "src/recall",
  "src/experience/episodes",
  "src/memories",
  "src/calls",
  "src/facts",
  "src/trust",
  "src/models",
  "src/language",
  "src/ontology",
  "src/kernel",
  "src/ontology/generated",
];

/** Routes stand in the room of their feature, and belong to the HTTP layer: only the app imports them. */
const isRoute = (file: string) => file.endsWith("-routes.ts");

const files = ["src", "durable-objects"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".as.ts"))
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`),
);
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));

type Import = { target: string; isType: boolean };

function listImports(file: string): Import[] {
  const found = (texts.get(file) ?? "").matchAll(
    /^(?:import|export)\s+(type\s)?([^"';]*?)\s*from\s+"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/gms,
  );
  return [...found].flatMap(([, type, names = "", from, loaded]) => {
    const path = normalize(join(dirname(file), from ?? loaded ?? "")).replaceAll("\\", "/");
    const target = [path, `${path}.ts`].find((candidate) => texts.has(candidate));
    const listed = /^\{(.*)\}$/s
      .exec(names)?.[1]
      ?.split(",")
      .filter((name) => name.trim() !== "") ?? [""];
    const isType = type !== undefined || listed.every((name) => name.trim().startsWith("type "));
    return target === undefined ? [] : [{ target, isType }];
  });
}

/** Returns the room of a file, as its place in the list; -1 if it has none. */
function findRoom(file: string): number {
  const rooms = ROOMS.filter((room) => file === room || file.startsWith(`${room}/`));
  return ROOMS.indexOf(rooms.toSorted((a, b) => b.length - a.length)[0] ?? "");
}

const imports = new Map(files.map((file) => [file, listImports(file)]));

/** Returns the files on a cycle through `start`, or null. */
function findCycle(start: string): string[] | null {
  const visited = new Set<string>();
  const stack = [{ file: start, path: [start] }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    // Type imports count, too: they tie two files together as much as values do.
    for (const { target } of imports.get(next.file) ?? []) {
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
  it("has every file in a room", () => {
    expect(files.length).toBeGreaterThan(200);
    expect(files.filter((file) => findRoom(file) < 0)).toEqual([]);
  });

  it("imports downwards only", () => {
    const wrong = [...imports]
      .filter(([file]) => !isRoute(file))
      .flatMap(([file, targets]) =>
        targets
          .filter(({ target, isType }) => !isType && findRoom(target) < findRoom(file))
          .map(({ target }) => `${file} -> ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it("imports routes in the app, and in other routes", () => {
    const wrong = [...imports]
      .filter(([file]) => !isRoute(file) && file !== "src/app.ts")
      .flatMap(([file, targets]) =>
        targets.filter(({ target }) => isRoute(target)).map(({ target }) => `${file} -> ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it("has no folder with a single file", () => {
    const folders = Map.groupBy(files, dirname);
    expect([...folders].filter(([, inside]) => inside.length === 1).map(([folder]) => folder)).toEqual([]);
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
