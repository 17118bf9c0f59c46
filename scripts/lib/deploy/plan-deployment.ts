// Decides the settings of a deployment. The service's own code selects the embedder, so that wrong settings are refused
// here as they would be there.
import { readMessage } from "../errors.ts";
import type { DeployedWorker } from "./cloudflare-account.ts";
import { mergeVars, OAUTH_BINDING, type RawConfig, type Vars } from "./deploy-config.ts";
import type { DeployOptions } from "./deploy-options.ts";
import { DeployError } from "./run-wrangler.ts";

export type SelectModule = typeof import("../../../src/models/embedders/select-embedder.ts");
type EmbedderBindings = Parameters<SelectModule["selectEmbedder"]>[0];

export interface EmbedderInfo {
  name: string;
  dimensions: number;
}

/** Loads src/models/embedders/select-embedder.ts, which Node cannot import as it is. */
export type LoadSelectModule = () => Promise<SelectModule>;

/** Returns null when embedding is switched off; throws when the settings are wrong. */
type SelectEmbedder = (vars: Vars, workersAi: boolean) => EmbedderInfo | null;

export interface DeploymentPlan {
  workersAi: boolean;
  oauth: boolean;
  /** The KV namespace of OAuth that is configured or bound already, or null. */
  knownNamespace: string | null;
  vars: Vars;
  embedder: EmbedderInfo | null;
  /** The Vectorize index to bind, or null. */
  index: string | null;
  /** The present vectors are of another embedder, or in another index. */
  needsReembedding: boolean;
}

/** Settings come from the deployed Worker, under wrangler.toml, under the options. */
export async function planDeployment(
  options: DeployOptions,
  base: RawConfig,
  before: DeployedWorker,
  name: string,
  loadSelectModule: LoadSelectModule,
): Promise<DeploymentPlan> {
  const workersAi = options.workersAi ?? (before.workersAi || base.ai !== undefined);
  const vectorize = options.vectorize ?? (before.index !== null || base.vectorize !== undefined);
  const inBase = base.kv_namespaces?.find(({ binding }) => binding === OAUTH_BINDING);
  const oauth = options.oauth ?? (before.namespace !== null || inBase !== undefined);
  // Another one has neither clients nor tokens: everybody would have to sign in again.
  const knownNamespace = [inBase?.id, before.namespace].find((id) => id && !/^0+$/.test(id)) ?? null;
  const vars = mergeVars(before.vars, base.vars ?? {}, chooseEmbedderVars(options, before), options.vars);
  const index = vectorize ? (before.index ?? name) : null;
  const selectEmbedder = toSelectEmbedder(await loadSelectModule());
  const embedder = selectOrExplain(selectEmbedder, vars, workersAi);
  const needsReembedding =
    before.exists &&
    embedder !== null &&
    (before.index !== index || embedder.name !== findFormerEmbedder(selectEmbedder, before));
  return { workersAi, oauth, knownNamespace, vars, embedder, index, needsReembedding };
}

/** Only the option changes the embedder: the AI binding alone may be for a language model. */
function chooseEmbedderVars({ workersAi }: DeployOptions, before: DeployedWorker): Vars {
  if (workersAi === true) return { EMBEDDER: "workers-ai" };
  return workersAi === false && before.vars.EMBEDDER === "workers-ai" ? { EMBEDDER: null } : {};
}

function toSelectEmbedder({ selectEmbedder }: SelectModule): SelectEmbedder {
  // Only the name and the dimensions are read, so the bindings need not work.
  return (vars, workersAi) => selectEmbedder({ ...vars, ...(workersAi && { AI: {} }) } as EmbedderBindings);
}

function selectOrExplain(select: SelectEmbedder, vars: Vars, workersAi: boolean) {
  try {
    return select(vars, workersAi);
  } catch (error) {
    throw new DeployError(
      `The embedder cannot be set up: ${readMessage(error)}. Change its settings with --var.`,
    );
  }
}

/** Settings that are wrong now have produced no vectors. */
function findFormerEmbedder(select: SelectEmbedder, before: DeployedWorker): string | undefined {
  try {
    return select(before.vars, before.workersAi)?.name;
  } catch {
    return undefined;
  }
}
