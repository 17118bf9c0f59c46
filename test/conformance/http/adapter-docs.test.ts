// The examples of docs/adapters.md, run as they are written: each `js` block in a process of its own, against the service
// and a server that plays the model. What it prints is the block below it.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedServer } from "../support/http-service";
import { type Asked, modelServer } from "../support/model-server";

const run = promisify(execFile);
const service = sharedServer();
const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const markdown = await readFile(join(root, "docs/adapters.md"), "utf8");
const examples = [...markdown.matchAll(/```js\n([\s\S]*?)```\n```text\n([\s\S]*?)```/g)].map(
  ([, code = "", printed = ""]) => ({
    code,
    printed,
    name: /from "(kioku\/(?!client)[^"]+)"/.exec(code)?.[1],
  }),
);

let folder = "";
beforeAll(async () => {
  // Within the package, so that its own name leads to it.
  folder = await mkdtemp(join(root, "dist/adapter-docs-"));
  await writeFile(join(folder, "model.mjs"), MODEL);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A model of the AI SDK that knows what these conversations need. */
const MODEL = `
import { MockLanguageModelV4 } from "ai/test";
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const answer = (text) => ({ content: [{ type: "text", text }], finishReason: { unified: "stop" }, usage, warnings: [] });
const input = JSON.stringify({ content: "The build machine is called Otto" });
const call = { type: "tool-call", toolCallId: "1", toolName: "remember", input };
export const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const told = JSON.stringify(prompt);
    if (told.includes("What is my name?"))
      return answer(told.includes("My name is Alex.") ? "You told me that your name is Alex." : "I do not know.");
    if (told.includes("My name is Alex.")) return answer("Nice to meet you, Alex.");
    if (told.includes('"remembered":true')) return answer("Noted: Otto.");
    return { ...answer(""), content: [call], finishReason: { unified: "tool-calls" } };
  },
});
`;

const FACT = { content: "The build machine is called Otto" };

function chat({ body }: Asked) {
  const done = JSON.stringify(body).includes("remembered");
  const call = {
    id: "c",
    type: "function",
    function: { name: "remember", arguments: JSON.stringify(FACT) },
  };
  const message = { role: "assistant", ...(done ? { content: "Noted: Otto." } : { tool_calls: [call] }) };
  return { id: "1", object: "chat.completion", created: 1, model: "m", choices: [{ index: 0, message }] };
}

function message({ body }: Asked) {
  const told = JSON.stringify(body);
  const files = told.includes("memory_20250818") || told.includes("File created");
  const file_text = "# Preferences\nThe user wants short answers.";
  const use = files
    ? { name: "memory", input: { command: "create", path: "/memories/preferences.md", file_text } }
    : { name: "remember", input: FACT };
  const done = told.includes("tool_result");
  const text = files ? "I have written that down." : "Noted: Otto.";
  return {
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    stop_reason: done ? "end_turn" : "tool_use",
    usage: { input_tokens: 1, output_tokens: 1 },
    content: [done ? { type: "text", text } : { type: "tool_use", id: "t", ...use }],
  };
}

it("there is an example of every adapter", () => {
  expect(examples.map(({ name }) => name)).toEqual([
    "kioku/ai-sdk",
    "kioku/ai-sdk",
    "kioku/langgraph",
    "kioku/openai",
    "kioku/anthropic",
    "kioku/anthropic",
  ]);
});

it.each(examples)("the example of $name prints what it says", async ({ code, printed }) => {
  const reply = (asked: Asked) => (asked.path.includes("/chat/") ? chat(asked) : message(asked));
  const model = await modelServer(Array(5).fill(reply));
  const file = join(folder, "example.mjs");
  await writeFile(file, code);
  const { stdout } = await run(process.execPath, [file], {
    env: {
      ...process.env,
      KIOKU_URL: service.api.url(""),
      KIOKU_API_KEY: service.api.key ?? "",
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: "none",
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "none",
    },
  });
  expect(stdout).toBe(printed);
});
