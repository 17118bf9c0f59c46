// Builds the files of the API reference: the page in src/http/docs-page and Swagger UI. File names carry a content hash,
// so that browsers may cache them forever.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { replaceFile } from "./replace-file.ts";
import { root } from "./repository.ts";

const source = join(root, "src/http/docs-page");
const swagger = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
const target = join(root, "dist/assets/docs");

/** The source files by the name under which the page refers to them. */
const FILES = {
  "icon.svg": [join(source, "icon.svg")],
  "reference.css": [join(source, "reference.css")],
  "reference.js": [join(source, "reference.js")],
  "swagger-ui.css": [join(swagger, "swagger-ui.css")],
  "swagger-ui-bundle.js": [join(swagger, "swagger-ui-bundle.js")],
  "licences.txt": ["NOTICE", "LICENSE", "swagger-ui-bundle.js.LICENSE.txt"].map((file) =>
    join(swagger, file),
  ),
};

/** Writes missing files, and removes files that the page no longer refers to. */
export async function buildDocsPage(): Promise<void> {
  await mkdir(target, { recursive: true });
  const present = await readdir(target);
  let page = await readFile(join(source, "page.html"), "utf8");
  const wanted = ["page.html"];
  for (const [name, sources] of Object.entries(FILES)) {
    const texts = await Promise.all(sources.map((file) => readFile(file, "utf8")));
    const contents = removeSourceMap(texts.join("\n"));
    const hashedName = addHash(name, contents);
    if (!page.includes(`"/docs/${name}"`)) throw new Error(`The page of the reference does not name ${name}`);
    page = page.replace(`"/docs/${name}"`, `"/docs/${hashedName}"`);
    // The name is a hash of the contents: a file that has it is up to date.
    if (!present.includes(hashedName)) await replaceFile(join(target, hashedName), contents);
    wanted.push(hashedName);
  }
  await replaceFile(join(target, "page.html"), page);
  for (const name of present) if (!wanted.includes(name)) await rm(join(target, name), { force: true });
}

function addHash(name: string, contents: string): string {
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 16);
  const extension = extname(name);
  return `${name.slice(0, -extension.length)}.${hash}${extension}`;
}

/** Source maps are not served, and a browser would request them. */
function removeSourceMap(text: string): string {
  return text.replace(/\n\/[*/]# sourceMappingURL=\S+(?: ?\*\/)?\s*$/, "\n");
}
