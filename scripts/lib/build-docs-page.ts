// Makes the files of the API reference: the page in src/api/docs-page and Swagger UI, each named by a hash of what it
// holds, so that a browser may keep it for good.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { replaceFile } from "./replace-file.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const own = join(root, "src/api/docs-page");
const swagger = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

export const docsPath = join(root, "dist/assets/docs");

/** Under the names that the page has for them. */
const FILES = {
  "icon.svg": [join(own, "icon.svg")],
  "reference.css": [join(own, "reference.css")],
  "reference.js": [join(own, "reference.js")],
  "swagger-ui.css": [join(swagger, "swagger-ui.css")],
  "swagger-ui-bundle.js": [join(swagger, "swagger-ui-bundle.js")],
  "licences.txt": ["NOTICE", "LICENSE", "swagger-ui-bundle.js.LICENSE.txt"].map((file) =>
    join(swagger, file),
  ),
};

/** Makes what is not there yet, and removes what the page no longer refers to. */
export async function buildDocsPage(path = docsPath) {
  await mkdir(path, { recursive: true });
  const present = await readdir(path);
  let page = await readFile(join(own, "page.html"), "utf8");
  const wanted = ["page.html"];
  for (const [name, sources] of Object.entries(FILES)) {
    const contents = withoutSourceMap((await Promise.all(sources.map((file) => readFile(file)))).join("\n"));
    const hashed = hashedName(name, contents);
    if (!page.includes(`"/docs/${name}"`)) throw new Error(`The page of the reference does not name ${name}`);
    page = page.replace(`"/docs/${name}"`, `"/docs/${hashed}"`);
    // A file of this name holds just this.
    if (!present.includes(hashed)) await replaceFile(join(path, hashed), contents);
    wanted.push(hashed);
  }
  await replaceFile(join(path, "page.html"), page);
  for (const name of present) if (!wanted.includes(name)) await rm(join(path, name), { force: true });
}

function hashedName(name, contents) {
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 16);
  const extension = extname(name);
  return `${name.slice(0, -extension.length)}.${hash}${extension}`;
}

/** The maps are not served, and a browser would ask for them. */
function withoutSourceMap(text) {
  return text.replace(/\n\/[*/]# sourceMappingURL=\S+(?: ?\*\/)?\s*$/, "\n");
}
