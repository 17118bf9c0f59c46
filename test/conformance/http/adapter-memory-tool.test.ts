// Anthropic's memory tool on Kioku. What the SDK's own tool over files answers, this one answers: one table, run on both.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { betaMemoryTool, type MemoryToolHandlers } from "@anthropic-ai/sdk/helpers/beta/memory";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import { kiokuMemoryTool } from "kioku/anthropic";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fresh } from "../support/client";
import { sharedServer } from "../support/http-service";
import { kiokuOf, outcomeOf } from "./adapters";

const service = sharedServer();
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kioku-memories-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Step = Parameters<ReturnType<typeof betaMemoryTool>["run"]>[0];

/** The answers to the commands, one after the other. The size of a directory is the file system's own affair. */
async function play(handlers: MemoryToolHandlers, steps: readonly Step[]): Promise<unknown[]> {
  const { run } = betaMemoryTool(handlers);
  const answers: unknown[] = [];
  for (const step of steps) {
    const answer = await outcomeOf(() => run(step));
    answers.push(typeof answer === "string" ? withoutDirectorySizes(answer) : answer);
  }
  return answers;
}

function withoutDirectorySizes(answer: string): string {
  return answer.replace(/^(Here're the files.*\n)\S+\t/, "$1\t").replaceAll(/^\S+(\t\S+\/)$/gm, "$1");
}

const at = (name: string) => `/memories${name}`;
const create = (name: string, file_text: string): Step => ({ command: "create", path: at(name), file_text });
const view = (name: string, view_range?: number[]): Step => ({
  command: "view",
  path: at(name),
  ...(view_range !== undefined && { view_range }),
});
const replace = (name: string, old_str: string, new_str: string): Step => ({
  command: "str_replace",
  path: at(name),
  old_str,
  new_str,
});
const insert = (name: string, insert_line: number, insert_text: string): Step => ({
  command: "insert",
  path: at(name),
  insert_line,
  insert_text,
});
const remove = (name: string): Step => ({ command: "delete", path: at(name) });
const rename = (from: string, to: string): Step => ({
  command: "rename",
  old_path: at(from),
  new_path: at(to),
});

const LINES = "one\ntwo\nthree\nfour\nfive\nsix";

const CASES: Record<string, Step[]> = {
  "shows an empty memory": [view("")],
  "creates a file and shows it": [create("/a.md", LINES), view("/a.md"), view("")],
  "shows a range of lines": [
    create("/a.md", LINES),
    view("/a.md", [2, 3]),
    view("/a.md", [5, -1]),
    view("/a.md", [0, 1]),
  ],
  "keeps a file's spaces, its final lines and its emptiness": [
    create("/a.md", "  \n\ttab \n\n"),
    view("/a.md"),
    create("/empty", ""),
    view("/empty"),
    view(""),
  ],
  "lists directories two levels deep, without hidden items": [
    create("/b/c/d/deep.md", "x"),
    create("/b/c.md", "xy"),
    create("/b.md", "x".repeat(1_536)),
    create("/.hidden", "x"),
    create("/node_modules/x", "x"),
    view(""),
    view("/b"),
    view("/b/c"),
  ],
  "refuses to create what is there": [create("/a.md", "x"), create("/a.md", "y"), view("/a.md")],
  "replaces a text that stands there once": [
    create("/a.md", LINES),
    replace("/a.md", "three", "THREE\nand a half"),
    view("/a.md"),
    replace("/a.md", "one", "$& $1"),
    view("/a.md"),
  ],
  "tells an edit that changes case alone": [
    create("/a.md", "Likes Tea"),
    replace("/a.md", "Tea", "tea"),
    view("/a.md"),
    replace("/a.md", "tea", "Tea"),
    view("/a.md"),
  ],
  "does not replace what is not there, or there twice": [
    create("/a.md", "same\nother\nsame"),
    replace("/a.md", "nowhere", "x"),
    replace("/a.md", "same", "x"),
    replace("/none.md", "x", "y"),
    view("/a.md"),
  ],
  "inserts a line": [
    create("/a.md", LINES),
    insert("/a.md", 0, "first\n"),
    insert("/a.md", 7, "last"),
    insert("/a.md", 99, "never"),
    insert("/a.md", -1, "never"),
    insert("/none.md", 0, "x"),
    view("/a.md"),
  ],
  "deletes a file and a directory": [
    create("/a.md", "x"),
    create("/d/one", "x"),
    create("/d/e/two", "x"),
    remove("/a.md"),
    remove("/d"),
    remove("/none"),
    remove(""),
    view(""),
    view("/a.md"),
  ],
  "renames a file and a directory": [
    create("/a.md", "of a"),
    create("/d/one", "of one"),
    create("/d/e/two", "of two"),
    rename("/a.md", "/new/b.md"),
    rename("/d", "/moved"),
    rename("/none", "/x"),
    rename("/moved/one", "/new/b.md"),
    rename("", "/x"),
    view("/new/b.md"),
    view("/moved/e/two"),
    view("/a.md"),
    view("/d"),
  ],
  "takes detours within, and refuses paths that lead out": [
    create("/a/../b.md", "x"),
    view("/b.md"),
    view("/../secret"),
    create("/a/../../secret", "x"),
    { command: "view", path: "/etc/passwd" },
    { command: "delete", path: "memories/b.md" },
  ],
  "tells files apart whose names differ in case": [
    create("/Notes.md", "same"),
    create("/notes.md", "same"),
    view(""),
    remove("/Notes.md"),
    view("/notes.md"),
  ],
};

describe("what the SDK's own memory tool answers, Kioku's does", () => {
  it.each(Object.entries(CASES))("it %s", async (name, steps) => {
    const own = await BetaLocalFilesystemMemoryTool.init(join(folder, fresh("case")));
    const kioku = kiokuMemoryTool(kiokuOf(service.api), { agent_id: fresh("agent") });
    expect(await play(kioku, steps), name).toEqual(await play(own, steps));
  });
});

describe("what files that are memories do besides", () => {
  async function open() {
    const kioku = kiokuOf(service.api);
    const agent_id = fresh("agent");
    return { kioku, agent_id, tool: betaMemoryTool(kiokuMemoryTool(kioku, { agent_id })) };
  }

  it("are found by recall, wherever in them it stands", async () => {
    const { kioku, agent_id, tool } = await open();
    const text = `${"Plain words that say nothing much.\n".repeat(150)}The customer Zebulon prefers invoices on paper.`;
    await tool.run(create("/customers.md", text));
    const { memories } = await kioku.recall({ agent_id, query: "How does Zebulon want invoices?" });
    expect(memories[0]?.content).toContain("Zebulon prefers invoices on paper");
    expect(memories[0]?.content).toContain("/memories/customers.md");
  });

  it("keep long files whole, and edit them", async () => {
    const { tool } = await open();
    const lines = Array.from({ length: 400 }, (_, n) => `${n} ひらがな 👩‍👩‍👧 and "quotes" \\ on line ${n}`);
    await tool.run(create("/long.md", lines.join("\n")));
    await tool.run(replace("/long.md", '0 ひらがな 👩‍👩‍👧 and "quotes" \\ on line 200', "changed"));
    const shown = String(await tool.run(view("/long.md")));
    const expected = lines.with(200, "20changed");
    expect(
      shown
        .split("\n")
        .slice(1)
        .map((line) => line.split("\t")[1]),
    ).toEqual(expected);
  });

  it("keep what they said before an edit as history, and recall what they say now", async () => {
    const { kioku, agent_id, tool } = await open();
    await tool.run(create("/a.md", "The office is in Lisbon."));
    await tool.run(replace("/a.md", "Lisbon", "Porto"));
    const { memories } = await kioku.recall({ agent_id, query: "Where is the office?" });
    expect(memories.map(({ content }) => content.includes("Porto"))).toEqual([true]);
    const { data } = await kioku.memories.history(memories[0]?.id ?? "");
    expect(data.map(({ content }) => /Lisbon|Porto/.exec(content)?.[0])).toEqual(["Lisbon", "Porto"]);
  });

  it("leave nothing behind when they are deleted or renamed", async () => {
    const { kioku, agent_id, tool } = await open();
    await tool.run(create("/a.md", "long text ".repeat(500)));
    await tool.run(replace("/a.md", `${"long text ".repeat(499)}long`, "short"));
    await tool.run(rename("/a.md", "/b.md"));
    const all = () => kioku.memories.list({ agent_id, include_superseded: true }).page();
    expect((await all()).data.map(({ key }) => key)).toEqual(["/memories/b.md"]);
    await tool.run(remove("/b.md"));
    expect((await all()).data).toEqual([]);
  });

  it("refuse a directory that is a file, and a move into itself", async () => {
    const { tool } = await open();
    await tool.run(create("/a", "x"));
    await tool.run(create("/d/x", "x"));
    expect(await outcomeOf(() => tool.run(create("/a/b", "x")))).toEqual({
      failed: "The path /memories/a is not a directory.",
    });
    expect(await outcomeOf(() => tool.run(rename("/d", "/d/e")))).toEqual({
      failed: "Cannot rename /memories/d to a path within itself",
    });
    expect(await outcomeOf(() => tool.run(replace("/d", "x", "y")))).toEqual({
      failed: "The path /memories/d is not a file.",
    });
  });

  it("can be deleted and written again when a part of them was erased", async () => {
    const { kioku, agent_id, tool } = await open();
    await tool.run(create("/a.md", "long text ".repeat(500)));
    const { data } = await kioku.memories.list({ agent_id }).page();
    await kioku.memories.delete(data.find(({ content }) => content.includes("2 of 3"))?.id ?? "");
    expect(await outcomeOf(() => tool.run(view("/a.md")))).toEqual({
      failed: expect.stringContaining(
        "A part of /memories/a.md is no longer there. Delete it, and write it again.",
      ),
    });
    await tool.run(remove("/a.md"));
    await tool.run(create("/a.md", "new"));
    expect(await tool.run(view("/a.md"))).toContain("     1\tnew");
  });

  it("refuse a path with control characters", async () => {
    const { tool } = await open();
    expect(await outcomeOf(() => tool.run(create("/a\nb", "x")))).toEqual({
      failed: "Path must not contain control characters or lone surrogates",
    });
  });

  it("say what is too long", async () => {
    const { kioku, agent_id, tool } = await open();
    const failed = await outcomeOf(() => tool.run(create("/huge.md", "x".repeat(200_000))));
    expect(failed).toEqual({
      failed: expect.stringMatching(/value: needs \d+ memories, at most 64 are allowed/),
    });
    expect((await kioku.memories.list({ agent_id }).page()).data).toEqual([]);
  });
});
