// `npm run deploy`: Kioku on your Cloudflare account, or its next version. Safe to repeat. See docs/deploy.md.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

try {
  // Not imported above, so that a missing install ends in one clear line.
  const { readDeployOptions, USAGE } = await import("./lib/deploy-options.mjs");
  const options = readDeployOptions(process.argv.slice(2));
  if (options.help) console.log(USAGE);
  else await run(options);
} catch (error) {
  const uninstalled = error.code === "ERR_MODULE_NOT_FOUND";
  console.error(`kioku: ${uninstalled ? "Packages are missing: run npm ci." : error.message}`);
  process.exitCode = 1;
}

async function run(options) {
  const { deploy } = await import("./lib/deploy.mjs");
  const { wranglerRunner } = await import("./lib/deploy-wrangler.mjs");
  const { root } = await import("./lib/worker.mjs");
  const { default: wrangler } = await import("wrangler");
  const { rawConfig } = wrangler.experimental_readRawConfig({ config: join(root, "wrangler.toml") });
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const url = await deploy(options, {
    base: rawConfig,
    version,
    root,
    folder: join(root, ".kioku"),
    accountId: process.env.CLOUDFLARE_ACCOUNT_ID,
    run: wranglerRunner(root),
    say: (line) => console.log(line),
    get: fetch,
    wait,
  });
  if (url !== null) console.log(nextSteps(url));
}

function nextSteps(url) {
  return `
Kioku runs at ${url}

Make a key for a tenant, with the admin key in ADMIN_KEY, then remember something with it in KEY:

curl -sS ${url}/v1/keys -H "Authorization: Bearer $ADMIN_KEY" -H 'Content-Type: application/json' -d '{"tenant":"me"}'

curl -sS ${url}/v1/sessions/first/remember -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"content":"Kioku is deployed","type":"fact"}'
`;
}
