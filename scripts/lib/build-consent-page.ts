// Builds the style and the script of the consent page of OAuth, from console/consent. The Worker renders the page itself,
// so that the names are fixed: browsers ask whether a file has changed.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { BROWSERS } from "./build-console.ts";
import { replaceFile } from "./replace-file.ts";
import { root } from "./repository.ts";

const target = join(root, "dist/assets/oauth");

export async function buildConsentPage(): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, "console/consent/consent.ts"), join(root, "console/consent/consent.css")],
    outdir: target,
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: BROWSERS,
    platform: "browser",
    logLevel: "silent",
  });
  await mkdir(target, { recursive: true });
  for (const { path, contents } of outputFiles) await replaceFile(path, contents);
}
