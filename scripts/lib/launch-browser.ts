// The browser of the console's tests and pictures: Chromium from npm on Linux, elsewhere the Chrome of the system.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { root } from "./repository.ts";

const cache = join(root, "node_modules/.cache/chromium");

/** Returns the browser, or why there is none. */
export async function launchBrowser(): Promise<Browser | string> {
  if (process.platform === "linux" && process.arch === "x64") {
    // Renderers without a sandbox: containers and CI machines have no namespaces for one.
    const { executablePath, env } = await unpackChromium();
    return chromium.launch({
      executablePath,
      env,
      args: ["--no-sandbox", "--no-zygote", "--disable-gpu"],
    });
  }
  try {
    return await chromium.launch({ channel: "chrome" });
  } catch (error) {
    return `Chrome is not installed (${(error as Error).message.split("\n")[0]})`;
  }
}

/**
 * Returns the path of the browser and the environment that it needs. The package unpacks into the folder for temporary
 * files, which other tests keep in memory, and sets variables that other tests must not pass on to their processes.
 */
async function unpackChromium(): Promise<{ executablePath: string; env: Record<string, string> }> {
  await mkdir(cache, { recursive: true });
  const before = { ...process.env };
  process.env.TMPDIR = cache;
  try {
    const { default: packed } = await import("@sparticuz/chromium");
    const executablePath = await packed.executablePath();
    return { executablePath, env: { ...(process.env as Record<string, string>) } };
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
}
