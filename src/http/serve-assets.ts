// Serves pages and their files from the Worker's assets. Pages are revalidated; files have a content hash in their name
// and are kept by browsers.
import { failure } from "../kernel/errors";
import type { App, AppContext } from "./app-context";
import { negotiateType } from "./read-request";

/** The binding ignores the host. */
const ASSETS_URL = "https://assets";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
};

/** A page runs its own scripts only, and connects only to the service that serves it. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

const SECURITY_HEADERS = { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer" };

/** Returns the page of a folder of assets. `policy` adds directives to its content security policy. */
export async function servePage(
  c: AppContext,
  folder: string,
  policy: readonly string[] = [],
): Promise<Response> {
  const page = await c.env.ASSETS.fetch(`${ASSETS_URL}/${folder}/page.html`);
  if (!page.ok) throw new Error(`The asset ${folder}/page.html returned ${page.status}`);
  const headers = {
    ...SECURITY_HEADERS,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": [...PAGE_POLICY, ...policy].join("; "),
    "Cache-Control": "no-cache",
  };
  return new Response(page.body, { headers });
}

/** Returns a text among the assets. */
async function serveText(c: AppContext, path: string, type: string): Promise<Response> {
  const asset = await c.env.ASSETS.fetch(`${ASSETS_URL}/${path}`);
  if (!asset.ok) throw failure("not_found", "No such page. The index of the documentation is /llms.txt.");
  return new Response(asset.body, {
    headers: { ...SECURITY_HEADERS, "Content-Type": type, "Cache-Control": "no-cache" },
  });
}

type PageFile = {
  folder: string;
  /** Matches the names of files, with the extension in its group. Others are not served. */
  pattern: RegExp;
  /** Where the page is, for the error. */
  page: string;
  /** How browsers keep a file whose name has no content hash. */
  cache?: string;
};

const KEEP = "public, max-age=31536000, immutable";

/** Returns the file of a page that the path parameter `file` names. */
export async function serveFile(
  c: AppContext,
  { folder, pattern, page, cache = KEEP }: PageFile,
): Promise<Response> {
  const file = c.req.param("file") ?? "";
  const [, extension = ""] = pattern.exec(file) ?? [];
  const type = CONTENT_TYPES[extension];
  const asset = type === undefined ? null : await c.env.ASSETS.fetch(`${ASSETS_URL}/${folder}/${file}`);
  if (type === undefined || !asset?.ok) throw failure("not_found", `No such file. ${page}`);
  const headers = {
    ...SECURITY_HEADERS,
    "Content-Type": type,
    "Cache-Control": cache,
  };
  return new Response(asset.body, { headers });
}

// The web console at `/`, for browsers. It calls the API like any other program and has no routes of its own but its
// files. A client that does not ask for HTML gets the answer of an unknown path.

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

// The documentation for language models (https://llmstxt.org): an index, everything in one file, and single pages.

const PLAIN = "text/plain; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";

export function llmsRoutes(app: App): void {
  app.get("/llms.txt", (c) => serveText(c, "llms/llms.txt", PLAIN));
  app.get("/llms-full.txt", (c) => serveText(c, "llms/llms-full.txt", PLAIN));
  app.get("/llms/:page{[A-Za-z0-9/-]+\\.md}", (c) => serveText(c, `llms/${c.req.param("page")}`, MARKDOWN));
}
