// The documentation for language models (https://llmstxt.org): an index, everything in one file, and single pages.
import type { App } from "../app-context";
import { serveText } from "./serve-assets";

const PLAIN = "text/plain; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";

export function llmsRoutes(app: App): void {
  app.get("/llms.txt", (c) => serveText(c, "llms/llms.txt", PLAIN));
  app.get("/llms-full.txt", (c) => serveText(c, "llms/llms-full.txt", PLAIN));
  app.get("/llms/:page{[A-Za-z0-9/-]+\\.md}", (c) => serveText(c, `llms/${c.req.param("page")}`, MARKDOWN));
}
