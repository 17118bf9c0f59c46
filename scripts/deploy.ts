// `npm run deploy`: deploys Kioku to your Cloudflare account, or updates it. Safe to repeat. See docs/deploy.md.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { DeployOptions } from "./lib/deploy/deploy-options.ts";
import { isMissingModule, readMessage } from "./lib/errors.ts";
import { root } from "./lib/repository.ts";

try {
  // Imported here, so that missing packages are reported in one clear line.
  const { readDeployOptions, USAGE } = await import("./lib/deploy/deploy-options.ts");
  const options = readDeployOptions(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else await run(options);
} catch (error) {
  console.error(
    `kioku: ${isMissingModule(error) ? "Packages are missing: run npm ci." : readMessage(error)}`,
  );
  process.exitCode = 1;
}

async function run(options: DeployOptions): Promise<void> {
  const { deployService } = await import("./lib/deploy/deploy-service.ts");
  const { createWranglerRunner } = await import("./lib/deploy/run-wrangler.ts");
  const { default: wrangler } = await import("wrangler");
  const { rawConfig } = wrangler.experimental_readRawConfig({ config: join(root, "wrangler.toml") });
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const url = await deployService(options, {
    base: rawConfig,
    version,
    root,
    folder: join(root, ".kioku"),
    accountId: process.env.CLOUDFLARE_ACCOUNT_ID,
    run: createWranglerRunner(root),
    say: (line) => console.log(line),
    get: fetch,
    wait,
  });
  if (url !== null) console.log(describeNextSteps(url));
}

function describeNextSteps(url: string): string {
  return `
Kioku runs at ${url}

Make a key for a tenant, with the admin key in ADMIN_KEY, then remember something with it in KEY:

curl -sS ${url}/v1/keys -H "Authorization: Bearer $ADMIN_KEY" -H 'Content-Type: application/json' -d '{"tenant":"me"}'

curl -sS ${url}/v1/sessions/first/remember -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"content":"Kioku is deployed","type":"fact"}'
`;
}
