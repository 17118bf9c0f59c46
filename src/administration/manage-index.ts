// Rebuilds the read model from the triples, and the text index and the vectors from the texts, a page at a time, and reports the state of the
// vector index.

import { type Database, openDatabase } from "../kernel/databases/d1";
import { listTenants } from "../kernel/databases/place-tenant";
import { hasShards, listShards } from "../kernel/databases/shard-bindings";
import { openTenantDatabase } from "../kernel/databases/tenant-database";
import { listMoves } from "../kernel/databases/tenant-moves";
import type { Bindings } from "../kernel/env";
import { FailureError, failure } from "../kernel/errors";
import { LIMITS } from "../kernel/limits";
import { countQueuedVectors } from "../memories/store/vector-queue";
import { selectReranker } from "../models/select-reranker";
import {
  countEmbeddedRows,
  isReembedding,
  loadProgress,
  type ReembedPage,
  reembedPage,
} from "../recall/index/reembed";
import { readVectorState } from "../recall/index/vector-state";
import { getIndexer, openVectorIndex, selectVectorModel } from "../recall/vectors/semantic-services";
import { type IndexName, isSameModel, type VectorModel } from "../recall/vectors/vector-index";
import { type MessageCursor, reindexMessagesPage } from "../sessions/reindex-messages";
import { type RebuildCursor, rebuildPage } from "./rebuild-read-model";

type Administrator = { tenant: string | null };

/** The last subject of the triples, or once these are done the last message, of the page before. */
export type RebuildPosition = RebuildCursor | MessageCursor;

export type RebuiltPage = {
  rebuilt: number;
  skipped: number;
  /** The messages whose text-index entries were written again. */
  messages: number;
  next: RebuildPosition | null;
};

/**
 * Rebuilds one page of a tenant's read model, or of all tenants without one: first memories and episodes from their
 * triples, then the text index of the messages.
 */
export async function rebuildReadModel(
  env: Bindings,
  administrator: Administrator,
  { tenant: named, after }: { tenant: string | undefined; after: RebuildPosition | null },
): Promise<RebuiltPage> {
  const tenant = selectTenant(administrator, named);
  if (tenant !== null) return rebuildDatabase(openTenantDatabase(env, tenant), tenant, after);
  return hasShards(env) ? rebuildTenants(env, after) : rebuildDatabase(openDatabase(env.DB), null, after);
}

/** Tenants that one call rebuilds at most: a Worker is limited in its number of subrequests. */
const TENANTS_PER_PAGE = 20;

/** Rebuilds tenant by tenant, each in its own database. One that is about to be moved answers a moment later. */
async function rebuildTenants(env: Bindings, after: RebuildPosition | null): Promise<RebuiltPage> {
  const begun = after === null ? [] : [after.tenant];
  const listed = await listTenants(env, { after: after?.tenant ?? "", limit: TENANTS_PER_PAGE });
  const sum = { rebuilt: 0, skipped: 0, messages: 0 };
  const tenants = [...begun, ...listed];
  for (const tenant of tenants) {
    if (sum.rebuilt + sum.messages >= LIMITS.rebuildPage) return { ...sum, next: { tenant, subject: "" } };
    const position = tenant === after?.tenant && !isStart(after) ? after : null;
    const page = await rebuildDatabase(openTenantDatabase(env, tenant), tenant, position);
    sum.rebuilt += page.rebuilt;
    sum.skipped += page.skipped;
    sum.messages += page.messages;
    if (page.next !== null) return { ...sum, next: page.next };
  }
  const [following] = await listTenants(env, { after: tenants.at(-1) ?? "", limit: 1 });
  return { ...sum, next: following === undefined ? null : { tenant: following, subject: "" } };
}

function isStart(position: RebuildPosition): boolean {
  return "subject" in position && position.subject === "";
}

async function rebuildDatabase(
  db: Database,
  tenant: string | null,
  after: RebuildPosition | null,
): Promise<RebuiltPage> {
  const limit = LIMITS.rebuildPage;
  const isMessage = after !== null && "session_id" in after;
  const page = isMessage
    ? { rebuilt: 0, skipped: 0, next: null }
    : await rebuildPage(db, { tenant, after, limit });
  if (page.next !== null) return { ...page, messages: 0 };
  const indexed = await reindexMessagesPage(db, { tenant, after: isMessage ? after : null, limit });
  return { ...page, ...indexed };
}

type IndexReport = {
  index: IndexName | null;
  embedder: string | null;
  dimensions: number | null;
  made_with: { embedder: string; dimensions: number; index: IndexName } | null;
  matches: boolean;
  reembedding: boolean;
  waiting: number;
  reranker: string | null;
};

/** Compares the configured model with the one that the stored vectors were created with. */
export async function readIndexState(
  env: Bindings,
  administrator: Administrator,
  tenant: string | undefined,
): Promise<IndexReport> {
  const owner = selectTenant(administrator, tenant);
  const databases = owner === null ? openAllDatabases(env) : ([openTenantDatabase(env, owner)] as const);
  const model = selectVectorModel(env);
  const [state, counts] = await Promise.all([
    readVectorState(databases[0]),
    Promise.all(databases.map((db) => countQueuedVectors(db, owner))),
  ]);
  const waiting = counts.reduce((sum, count) => sum + count, 0);
  return {
    index: model?.index ?? null,
    embedder: model?.name ?? null,
    dimensions: model?.dimensions ?? null,
    made_with: state && { embedder: state.name, dimensions: state.dimensions, index: state.index },
    matches: state === null || model === null || isSameModel(state, model),
    reembedding: state?.progress != null,
    waiting,
    reranker: selectReranker(env)?.name ?? null,
  };
}

/** Re-embeds one page of all tenants' texts with the configured model. */
export async function reembed(env: Bindings, administrator: Administrator): Promise<ReembedPage> {
  if (administrator.tenant !== null)
    throw failure("forbidden", "Only ADMIN_KEY may re-embed: it is for all tenants.");
  const model = selectVectorModel(env);
  if (model === null)
    throw failure(
      "unprocessable",
      "No embedder is configured (EMBEDDER=none): there is nothing to embed with.",
    );
  const databases = openAllDatabases(env);
  const current = await findReembedding(databases, model);
  // Its rows could pass from a database that is not finished to one that is. No move begins now: see `beginMove`.
  const [move] = hasShards(env) ? await listMoves(env) : [];
  if (move !== undefined)
    throw new FailureError({
      code: "unavailable",
      detail: `Tenant ${move.tenant} is being moved. Send the same call again when that is finished.`,
      retryAfterSeconds: 5,
    });
  const page = await reembedPage(current, model, {
    open: (tenant) => openTenantDatabase(env, tenant),
    drain: (tenant) => getIndexer(env, tenant).drain(tenant),
    // Vectorize cannot list its ids: there each vector is replaced under its own id.
    clear: async (tenant, previous) => {
      if (previous.index === "embedded") await openVectorIndex(env, tenant, previous).clear();
    },
  });
  const counts = await Promise.all(
    databases.map(async (db) =>
      db === current
        ? page
        : {
            done: (await isReembedding(db, model)) ? 0 : await countEmbeddedRows(db),
            total: await countEmbeddedRows(db),
            finished: !(await isReembedding(db, model)),
          },
    ),
  );
  return counts.reduce((sum, one) => ({
    done: sum.done + one.done,
    total: sum.total + one.total,
    finished: sum.finished && one.finished,
  }));
}

/** Returns the first database that is not finished. If all are, starts with all of them again. */
async function findReembedding(databases: Databases, model: VectorModel): Promise<Database> {
  for (const db of databases) if (await isReembedding(db, model)) return db;
  for (const db of databases) await loadProgress(db, model);
  return databases[0];
}

type Databases = readonly [Database, ...Database[]];

function openAllDatabases(env: Bindings): Databases {
  const [first, ...further] = listShards(env);
  return [openDatabase(first.d1), ...further.map(({ d1 }) => openDatabase(d1))];
}

/** A tenant's administrator must name its own tenant; ADMIN_KEY may name any, or none for all of them. */
function selectTenant(administrator: Administrator, tenant: string | undefined): string | null {
  if (administrator.tenant !== null && administrator.tenant !== tenant) {
    throw failure("forbidden", "This key may act on its own tenant only: name it in `tenant`.");
  }
  return tenant ?? null;
}
