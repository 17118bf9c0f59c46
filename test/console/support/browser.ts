// The browser of the console's tests: Chromium from npm on Linux, elsewhere the Chrome of the system.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { root } from "../../../scripts/lib/repository";

const cache = join(root, "node_modules/.cache/chromium");

/** Returns the browser, or why there is none. */
export async function launchBrowser(): Promise<Browser | string> {
  if (process.platform === "linux" && process.arch === "x64") {
    // Renderers without a sandbox: containers and CI machines have no namespaces for one.
    return chromium.launch({
      executablePath: await unpackChromium(),
      args: ["--no-sandbox", "--no-zygote", "--disable-gpu"],
    });
  }
  try {
    return await chromium.launch({ channel: "chrome" });
  } catch (error) {
    return `Chrome is not installed (${(error as Error).message.split("\n")[0]})`;
  }
}

/** The package unpacks into the folder for temporary files, which other tests keep in memory. */
async function unpackChromium(): Promise<string> {
  await mkdir(cache, { recursive: true });
  const before = process.env.TMPDIR;
  process.env.TMPDIR = cache;
  try {
    const { default: packed } = await import("@sparticuz/chromium");
    return await packed.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
