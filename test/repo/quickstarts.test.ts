// The quickstarts, followed from top to bottom: files are written as they are printed, commands are run in a folder of
// the page's own, and what they print is the block below. Each page has a tenant of its own.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startChatCompletions } from "../conformance/support/chat-completions";
import { sharedServer } from "../conformance/support/http-service";
import { expectPrinted, parseBlocks, readDocument } from "./doc-blocks";
import { root, runToEnd } from "./kioku-command";

const service = sharedServer();
const model = await startChatCompletions(() => "What do you like to eat?");
let folder = "";
beforeAll(async () => {
  // Within the package, so that its own name leads to it.
  folder = await mkdtemp(join(root, "dist/quickstarts-"));
});
afterAll(() => Promise.all([rm(folder, { recursive: true, force: true }), model.close()]));

/** Installing, connecting a client and setting the key: for the reader alone. */
const PREPARATION = /^(?:npm|claude|export) /;

/** A tenant with two memories, which plays the account at mem0. */
async function fillMem0Account(): Promise<string> {
  const account = await service.tenant();
  for (const content of ["Likes jazz", "Has a dog"]) {
    const messages = [{ role: "user", content }];
    const body = { user_id: "robin", messages, infer: false, metadata: { from: "mem0" } };
    expect(await account.post("/mem0/v3/memories/add/", body)).toMatchObject({ status: 200 });
  }
  return account.key ?? "";
}

describe.each([
  ["chatbot", 3],
  ["coding-agent", 4],
  ["langgraph-or-ai-sdk", 2],
  ["from-mem0", 3],
])("the quickstart %s", (name, commands) => {
  it("works as it is written", async () => {
    const blocks = parseBlocks(readDocument(`docs/quickstarts/${name}.md`));
    const url = service.api.url("");
    const point = (text: string) =>
      text.replaceAll("http://127.0.0.1:8787", url).replaceAll("localhost:8787", url.replace("http://", ""));
    const env = {
      KIOKU_URL: url,
      KIOKU_API_KEY: (await service.tenant()).key ?? "",
      LLM_URL: model.settings.LLM_URL,
      LLM_MODEL: "m",
      MEM0_HOST: `${url}/mem0`,
      MEM0_TELEMETRY: "false",
    };
    const account = name === "from-mem0" ? await fillMem0Account() : "";

    let run = 0;
    for (const [at, { language, text }] of blocks.entries()) {
      const [, file] = /^\/\/ ([a-z]+\.mjs)\n/.exec(text) ?? [];
      if (language === "js") await writeFile(join(folder, file ?? ""), point(text));
      if (language !== "sh" || PREPARATION.test(text)) continue;
      const answer = blocks[at + 1];
      if (answer === undefined) throw new Error(`A command without an answer: ${text}`);
      const script = point(text).replace("m0-...", account);
      const { code, out, err } = await runToEnd("sh", ["-ec", script], { env, cwd: folder });
      expect(code, `${text}${err}`).toBe(0);
      expectPrinted(out, answer);
      run += 1;
    }
    expect(run).toBe(commands);
  });
});
