// Rebuilds the read model from the triples, and the text index and the vectors from the texts, a page at a time, and reports the state of the
// vector index.
import { type ReembedPage, reembedPage } from "../../indexing/reembed";
import { LIMITS } from "../../limits";
import { selectReranker } from "../../models/rerankers/select-reranker";
import { openDatabase } from "../../platform/d1";
import type { Bindings } from "../../platform/env";
import { failure } from "../../platform/errors";
import { type MessageCursor, reindexMessagesPage } from "../../store/sessions/reindex-messages";
import { type RebuildCursor, rebuildPage } from "../../store/triples/rebuild-read-model";
import { countQueuedVectors } from "../../store/vectors/vector-queue";
import { readVectorState } from "../../store/vectors/vector-state";
import { getIndexer, openVectorIndex, selectVectorModel } from "../../vectors/semantic-services";
import { type IndexName, isSameModel } from "../../vectors/vector-index";

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
  const db = openDatabase(env.DB);
  const tenant = selectTenant(administrator, named);
  const limit = LIMITS.rebuildPage;
  const isMessage = after !== null && "session_id" in after;
  const page = isMessage
    ? { rebuilt: 0, skipped: 0, next: null }
    : await rebuildPage(db, { tenant, after, limit });
  if (page.next !== null) return { ...page, messages: 0 };
  const indexed = await reindexMessagesPage(db, { tenant, after: isMessage ? after : null, limit });
  return { ...page, ...indexed };
}

export type IndexReport = {
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
  const db = openDatabase(env.DB);
  const model = selectVectorModel(env);
  const [state, waiting] = await Promise.all([readVectorState(db), countQueuedVectors(db, owner)]);
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
  return reembedPage(openDatabase(env.DB), model, {
    drain: (tenant) => getIndexer(env, tenant).drain(tenant),
    // Vectorize cannot list its ids: there each vector is replaced under its own id.
    clear: async (tenant, previous) => {
      if (previous.index === "embedded") await openVectorIndex(env, tenant, previous).clear();
    },
  });
}

/** A tenant's administrator must name its own tenant; ADMIN_KEY may name any, or none for all of them. */
function selectTenant(administrator: Administrator, tenant: string | undefined): string | null {
  if (administrator.tenant !== null && administrator.tenant !== tenant) {
    throw failure("forbidden", "This key may act on its own tenant only: name it in `tenant`.");
  }
  return tenant ?? null;
}
