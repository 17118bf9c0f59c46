// The web console at `/`, for browsers. It calls the API like any other program and has no routes of its own but its
// files. A client that does not ask for HTML gets the answer of an unknown path.
import type { App } from "../app-context";
import { negotiateType } from "../negotiate-type";
import { serveFile, servePage } from "./serve-assets";

const HTML = "text/html";
/** File names end in the content hash of esbuild. */
const FILE = /^[a-z-]+-[A-Z0-9]{8}\.(js|css|svg|txt)$/;

/** Text from memories never becomes markup: browsers refuse assignments to innerHTML and the like. */
const NO_MARKUP_FROM_TEXT = ["require-trusted-types-for 'script'", "trusted-types 'none'"];

export function consoleRoutes(app: App): void {
  app.get("/", async (c, next) => {
    const accepted = negotiateType(c.req.header("Accept"), ["application/json", HTML]);
    if (accepted !== HTML) return next();
    const page = await servePage(c, "console", NO_MARKUP_FROM_TEXT);
    page.headers.set("Vary", "Accept");
    return page;
  });

  app.get("/console/:file", (c) =>
    serveFile(c, { folder: "console", pattern: FILE, page: "The console is at /." }),
  );
}
