// `npm run client:types`: writes the client's types, made from the service's own OpenAPI document.
//
//   node scripts/client-types.mjs           write client/schema.generated.ts
//   node scripts/client-types.mjs --check   fail when it is stale

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { generate, readService } from "./lib/client-types.mjs";
import { root } from "./lib/worker.mjs";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const path = join(root, "client/schema.generated.ts");
const text = generate(await readService());

if (!values.check) await writeFile(path, text);
else if ((await readFile(path, "utf8").catch(() => "")) !== text) {
  console.error("client/schema.generated.ts is stale: run `npm run client:types`");
  process.exitCode = 1;
}
