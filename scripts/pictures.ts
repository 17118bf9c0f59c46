// `npm run pictures`: takes the pictures of the console in docs/images, of a service of its own with a month of data.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { buildWorker } from "./lib/build-worker.ts";
import { launchBrowser } from "./lib/launch-browser.ts";
import { holdDemoConversation } from "./lib/pictures/demo-conversation.ts";
import { type DemoCall, loadDemoMonth } from "./lib/pictures/demo-month.ts";
import { root } from "./lib/repository.ts";

const ADMIN_KEY = "admin-key-of-the-pictures";
const VIEWPORT = { width: 1_440, height: 900 };
const folder = join(root, "docs/images");

const state = await mkdtemp(join(tmpdir(), "kioku-pictures-"));
process.env.KIOKU_STATE_DIR = state;
// Read when it is imported.
const { startServer } = await import("./lib/local-server.ts");
await buildWorker();
const server = await startServer({ port: 0, adminKey: ADMIN_KEY, log: () => {} });
const browser = await launchBrowser();
try {
  if (typeof browser === "string") throw new Error(browser);
  await mkdir(folder, { recursive: true });
  const { key } = await connect(ADMIN_KEY)("POST", "/v1/keys", {
    tenant: "harbour-bikes",
    scopes: ["read", "write", "admin"],
  });
  const call = connect(String(key));
  await loadDemoMonth(call);
  const { session, memory } = await holdDemoConversation(call);
  const page = await browser.newPage({
    viewport: VIEWPORT,
    colorScheme: "light",
    reducedMotion: "reduce",
    locale: "en-GB",
  });
  await page.goto(`${server.url}/#key=${key}`);
  await page.waitForSelector("nav");

  await take(page, "home", "", () => page.locator(".chart canvas").last().waitFor());
  await take(page, "memories", "memories?query=Where+should+I+deliver+the+cargo+bike%3F&user=mia", () =>
    page.locator(".signals summary").first().click(),
  );
  await take(page, "memory-why", `memories/${memory}`);
  await take(page, "session", `sessions/${session}`, async () => {
    await page.getByLabel("Topic of the next turn").fill("Where is the cargo bike delivered?");
    await page.getByRole("button", { name: "Assemble" }).click();
    await page.getByRole("region", { name: "The prompt" }).waitFor();
  });
} finally {
  if (typeof browser !== "string") await browser.close();
  await server.dispose();
  await rm(state, { recursive: true, force: true });
}

/** Opens a view, prepares it, and takes its picture. */
async function take(page: Page, name: string, address: string, prepare = async () => {}): Promise<void> {
  await page.goto(`${server.url}/#/${address}`);
  await page.waitForSelector("main h1");
  // The view is rendered with the next frame, and loads what it shows.
  await page.waitForTimeout(300);
  await page.locator("main .loading").first().waitFor({ state: "detached" });
  await prepare();
  await page.evaluate("document.activeElement?.blur()");
  // Charts are drawn with the next frames.
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(folder, `console-${name}.png`) });
}

function connect(key: string): DemoCall {
  return async (method, path, body) => {
    const isText = typeof body === "string";
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": isText ? "application/x-ndjson" : "application/json",
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.detail}`);
    return answer;
  };
}
