// Builds the Worker's static assets: the embedded embedder's model, and the pages of the API reference.
import { buildDocsPage } from "./build-docs-page.ts";
import { buildModel } from "./model/build-model.ts";

export async function buildAssets(): Promise<void> {
  await Promise.all([buildModel(), buildDocsPage()]);
}
