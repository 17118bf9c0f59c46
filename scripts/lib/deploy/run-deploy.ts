// Deploys an installation of Kioku to a Cloudflare account, or updates it. Safe to repeat. See docs/deploy.md.
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import wrangler from "wrangler";
import type { Installation } from "../installation.ts";
import { ensureDataFolder } from "../local/data-folder.ts";
import { readDeployOptions, renderDeployUsage } from "./deploy-options.ts";
import { deployService } from "./deploy-service.ts";
import type { LoadSelectModule } from "./plan-deployment.ts";
import { createWranglerRunner, DeployError } from "./run-wrangler.ts";

/** The oldest Node that wrangler's command line takes. */
const NODE_MAJOR = 22;

export async function runDeploy(
  installation: Installation,
  argv: readonly string[],
  loadSelectModule: LoadSelectModule,
): Promise<void> {
  const { root, configPath, deployDir, deployCwd, describeCommand } = installation;
  const command = describeCommand("deploy", "").trimEnd();
  const options = readDeployOptions(argv, command);
  if (options.help) {
    console.log(renderDeployUsage(command));
    return;
  }
  const { node } = process.versions;
  if (Number.parseInt(node, 10) < NODE_MAJOR)
    throw new DeployError(
      `A deployment needs Node ${NODE_MAJOR} or newer, for wrangler. This is Node ${node}.`,
    );
  const { rawConfig } = wrangler.experimental_readRawConfig({ config: configPath });
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  if (!options.dryRun) await ensureDataFolder(deployDir);
  const url = await deployService(options, {
    base: rawConfig,
    baseName: basename(configPath),
    version,
    root,
    cwd: deployCwd,
    folder: deployDir,
    accountId: process.env.CLOUDFLARE_ACCOUNT_ID,
    reembedCommand: describeCommand("reembed"),
    loadSelectModule,
    run: createWranglerRunner(deployCwd),
    say: (line) => console.log(line),
    get: fetch,
    wait,
  });
  if (url !== null) console.log(describeNextSteps(url));
}

function describeNextSteps(url: string): string {
  return `
Kioku runs at ${url}

Make a key for a tenant, with the admin key in KIOKU_ADMIN_KEY, then remember something with it in KIOKU_API_KEY:

curl -sS ${url}/v1/keys -H "Authorization: Bearer $KIOKU_ADMIN_KEY" -H 'Content-Type: application/json' -d '{"tenant":"me"}'

curl -sS ${url}/v1/sessions/first/remember -H "Authorization: Bearer $KIOKU_API_KEY" -H 'Content-Type: application/json' -d '{"content":"Kioku is deployed","type":"fact"}'
`;
}
