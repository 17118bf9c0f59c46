// The OpenAPI document without a server: the app is bundled for Node and asked for it.
import { build } from "esbuild";
import { root } from "./worker.mjs";

export async function openApiDocument() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/app.ts"],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    // Nothing of what they hold is asked for.
    loader: { ".wasm": "empty" },
    logLevel: "silent",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  const { createApp } = await import(`data:text/javascript;base64,${code}`);
  const answer = await createApp().request("/openapi.json", {}, { ADMIN_KEY: "none is used" });
  if (!answer.ok) throw new Error(`/openapi.json answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}
