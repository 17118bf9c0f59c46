// Everything that the Worker asks its assets for: the embedded embedder's model, and the pages of the API reference.
import { buildDocsPage } from "./docs-page.mjs";
import { buildModel } from "./model.mjs";

export async function buildAssets() {
  await Promise.all([buildModel(), buildDocsPage()]);
}
