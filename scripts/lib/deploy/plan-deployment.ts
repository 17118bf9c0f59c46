// Which embedder a deployment would have, and its dimensions: asked of the service's own code, so that its settings
// are refused here as they would be there.
import { build } from "esbuild";
import { root } from "./worker.mjs";

/**
 * Gives `(vars, workersAi) → { name, dimensions }`, or null when it is switched off; settings that are wrong throw.
 */
export async function loadEmbedders() {
  const bundle = await build({
    absWorkingDir: root,
    entryPoints: ["src/embedding/select.ts"],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    // Only asked for its name, it never computes.
    loader: { ".wasm": "empty" },
    logLevel: "silent",
  });
  const code = Buffer.from(bundle.outputFiles[0].contents).toString("base64");
  const { embedderOf } = await import(`data:text/javascript;base64,${code}`);
  return (vars, workersAi) => embedderOf({ ...vars, ...(workersAi && { AI: {} }) });
}
