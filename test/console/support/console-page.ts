// A page of the browser with the console open, watched for anything that must not happen: scripts that fail, violations
// of the content security policy, requests to other hosts, and memories that became markup.
import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";

export type OpenedConsole = {
  page: Page;
  context: BrowserContext;
  /** Opens a view by its address, such as `memories?query=x`, and waits until it has loaded. */
  visit(address: string): Promise<void>;
  /** Returns the accessibility violations of the page, as short texts. */
  findViolations(): Promise<string[]>;
  close(): Promise<void>;
};

export type ConsoleOptions = {
  url: string;
  /** Signs in with it, unless it is undefined. */
  key?: string | undefined;
  theme?: "light" | "dark";
  width?: number;
};

const HEIGHT = 900;

export async function openConsole(
  browser: Browser,
  { url, key, theme = "light", width = 1_360 }: ConsoleOptions,
): Promise<OpenedConsole> {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme: theme,
    locale: "en-GB",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`A script failed: ${error.message}`));
  page.on("console", (message) => {
    // Refused calls are shown by the page itself; the browser logs them as well.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      problems.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) problems.push(`A request to another host: ${request.url()}`);
  });
  await page.goto(key === undefined ? `${url}/` : `${url}/#key=${key}`);
  await page.waitForSelector("main h1");
  if (key !== undefined) await page.waitForSelector("nav");

  return {
    page,
    context,
    async visit(address) {
      await page.goto(`${url}/#/${address}`);
      await page.waitForSelector("main h1");
      // The view is rendered with the next frame, and loads what it shows.
      await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
      await expect.poll(() => page.locator("main .loading").count()).toBe(0);
    },
    async findViolations() {
      // Evaluated by the debugger, which the content security policy of the page does not concern.
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate("axe.run()")) as {
        violations: { id: string; nodes: { html: string }[] }[];
      };
      return violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
      );
    },
    async close() {
      const hacked = await page.evaluate("globalThis.hacked");
      await context.close();
      expect(problems).toEqual([]);
      expect(hacked).toBeUndefined();
    },
  };
}
