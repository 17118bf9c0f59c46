// Creates the KV namespace of OAuth, whose binding switches it on. Registered clients and the hashes of tokens are in it.
import { DeployError, type Say, type Wrangler } from "./run-wrangler.ts";

const FIX =
  "A token needs the permission Workers KV Storage: Edit. Put it right and run this again: it goes on from here.";
const EXISTS = /already exists/i;

interface NamespaceOptions {
  wrangler: Wrangler;
  say: Say;
  /** Of the deployment. */
  name: string;
  /** The id of the namespace that is configured or bound already. */
  bound: string | null;
  /** Whether the account can be queried. */
  known: boolean;
  dryRun: boolean;
}

/** Returns the id of the namespace, which is created if there is none; empty in a dry run that would create it. */
export async function ensureNamespace({
  wrangler,
  say,
  name,
  bound,
  known,
  dryRun,
}: NamespaceOptions): Promise<string> {
  if (bound !== null) {
    say(`KV namespace of OAuth: there already (${bound})`);
    return bound;
  }
  const title = `${name}-oauth`;
  const present = known ? await findNamespace(wrangler, title) : undefined;
  if (present !== undefined) {
    say(`KV namespace ${title}: there already (${present})`);
    return present;
  }
  say(`KV namespace ${title}: ${dryRun ? "would be created" : "creating it"}`);
  await wrangler.change(["kv", "namespace", "create", title], { fix: FIX, absent: EXISTS });
  if (dryRun) return "";
  const created = await findNamespace(wrangler, title);
  if (created === undefined)
    throw new DeployError(
      `The KV namespace ${title} was created, but is not in the account's list yet. Run this again: it goes on from here.`,
    );
  return created;
}

async function findNamespace(wrangler: Wrangler, title: string): Promise<string | undefined> {
  const list = ["kv", "namespace", "list"];
  const namespaces = await wrangler.read<{ id: string; title: string }[]>(list, { fix: FIX });
  return namespaces.find((namespace) => namespace.title === title)?.id;
}
