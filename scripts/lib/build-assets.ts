// Builds the Worker's static assets: the embedded embedder's model, the pages of the API reference, and the console.
import { buildConsole } from "./build-console.ts";
import { buildDocsPage } from "./build-docs-page.ts";
import { buildModel } from "./model/build-model.ts";

export async function buildAssets(): Promise<void> {
  await Promise.all([buildModel(), buildDocsPage(), buildConsole()]);
}
