// `npm run client:types`: generates the client's types from the service's OpenAPI document.
//
//   node scripts/client-types.ts           writes client/schema.generated.ts
//   node scripts/client-types.ts --check   fails when the file is stale

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { generateClientTypes } from "./lib/generate-client-types.ts";
import { readFailures, readOpenApiDocument } from "./lib/read-api.ts";
import { root } from "./lib/repository.ts";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const path = join(root, "client/schema.generated.ts");
const text = generateClientTypes(await readOpenApiDocument(), await readFailures());

if (!values.check) await writeFile(path, text);
else if ((await readFile(path, "utf8").catch(() => "")) !== text) {
  console.error("client/schema.generated.ts is stale: run `npm run client:types`");
  process.exitCode = 1;
}
