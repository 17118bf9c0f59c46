// Builds the Worker's static assets: the embedded embedder's model, the pages of the API reference, the console, the
// consent page, and the documentation for language models.
import { buildConsentPage } from "./build-consent-page.ts";
import { buildConsole } from "./build-console.ts";
import { buildDocsPage } from "./build-docs-page.ts";
import { buildLlms } from "./build-llms.ts";
import { buildModel } from "./model/build-model.ts";

export async function buildAssets(): Promise<void> {
  await Promise.all([buildModel(), buildDocsPage(), buildConsole(), buildConsentPage(), buildLlms()]);
}
