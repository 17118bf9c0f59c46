// The long-term store of one tenant. Nothing here can be asked without a tenant: the store is made with it.
import { type SQL, sql } from "drizzle-orm";
import type { ResolvedNamespace } from "../domain/policy/namespace-name";
import { batch, type Database, openDatabase } from "../platform/d1";
import { describeDefect } from "../platform/errors";
import type { ProviderItem, ProviderQuery } from "../schemas/cognition";
import type { Episode } from "../schemas/experience";
import type { HandoffCreate } from "../schemas/handover";
import type { LinkCreate, ResolveInput } from "../schemas/link";
import type { Memory } from "../schemas/memory";
import type { PolicyInput } from "../schemas/policy";
import type { Message } from "../schemas/session";
import type { RecallScope } from "../search/corpus";
import { type RecallRequest, recall } from "../search/search";
import { findItemsByMeaning, requireSemantic } from "../search/search-items";
import type { Vectors } from "../vectors/semantic-services";
import type { VectorKind } from "../vectors/vector-index";
import { type Operation, readOperation, saveOperation } from "./applied-operations";
import {
  changeEpisodes,
  type EpisodeFilter,
  type EpisodeWindow,
  episodesInOrder,
  eraseEpisode,
  findEpisode,
  findEpisodes,
  listEpisodes,
  referredTo,
  writeEpisode,
} from "./episodes/episode-queries";
import type { GraphOwner } from "./graph/graph-memories";
import { createGraph } from "./graph/graph-repository";
import {
  acknowledgeHandoff,
  createHandoff,
  findHandoff,
  type HandoffFilter,
  listHandoffs,
} from "./handover/handoff-repository";
import { type Checkpoint, listLedgers, saveLedger } from "./handover/ledger-repository";
import {
  type Collection,
  deleteItems,
  dropSessionItems,
  findItemsByWords,
  getItems,
  putItems,
  sessionItemVectors,
} from "./items/item-repository";
import {
  type ContradictionFilter,
  type ContradictionPlace,
  listContradictions,
  resolveContradiction,
} from "./links/contradictions";
import { findEnds } from "./links/link-ends";
import { type LinkPlace, listLinks } from "./links/list-links";
import { linksFrom } from "./links/outgoing-links";
import { dropLink, makeLink } from "./links/write-link";
import { commitMemories, type MemoryWrite } from "./memories/commit-memories";
import { eraseMemories } from "./memories/erase-memories";
import { eraseVectors } from "./memories/erase-vectors";
import { type ForgetRequest, forgetMemory, type Reach } from "./memories/forget-memory";
import {
  countLive,
  findMemories,
  findMemory,
  historyOf,
  listMemories,
  type MemoryFilter,
  matchTriples,
  type Pattern,
  type TimeCursor,
  unindexedMemories,
} from "./memories/memory-queries";
import { recordAccess, recordOperations } from "./memories/memory-statements";
import { mergeMemories } from "./memories/merge-memories";
import { idsInPlaces, listNamespaces, listPlaces, type Place } from "./memories/namespace-filter";
import { listNamespace } from "./memories/namespace-queries";
import {
  allMarked,
  findSaying,
  findTopic,
  lessonsFrom,
  listMarked,
  type Mark,
  type MarkedFilter,
} from "./memories/pattern-queries";
import { findSkill, listSkills, type SkillVersion, writeSkill } from "./memories/skill-queries";
import { addUses, changeMemories, changeMemory, tryChange } from "./memories/update-memory";
import { noteUses, type Uses } from "./memories/usage-counts";
import { readPolicy, savePolicy } from "./policies/policy-repository";
import { type Conversation, dropMessages, putMessages } from "./sessions/message-copies";
import type { SessionRecord } from "./sessions/session-registry";
import {
  dropSession,
  findSession,
  listSessions,
  registerSession,
  type SessionFilter,
} from "./sessions/session-registry";

export type StoreOptions = { now: () => number; memoriesPerSession: number; vectors: Vectors };
type Page = { limit: number; after: TimeCursor | null };

export type LongTermStore = ReturnType<typeof createStore>;

export function createStore(
  d1: D1Database,
  tenant: string,
  { now, memoriesPerSession, vectors: { semantic, indexer } }: StoreOptions,
) {
  const db: Database = openDatabase(d1);
  const isoNow = () => new Date(now()).toISOString();
  const memoriesWhere = (condition: SQL) =>
    sql`SELECT id FROM memories WHERE tenant = ${tenant} AND ${condition}`;
  const dropVectors = (kind: VectorKind, which: SQL) => eraseVectors(db, tenant, indexer, kind, which, now());

  return {
    tenant,
    commit: (writes: readonly MemoryWrite[]) =>
      commitMemories(db, tenant, writes, { now: isoNow, memoriesPerSession }),
    recall: (scope: RecallScope, request: RecallRequest) => recall({ db, tenant, semantic, scope }, request),
    recordAccess: (ids: readonly string[]) =>
      ids.length === 0 ? Promise.resolve() : batch(db, recordAccess(tenant, ids, isoNow())),
    /** Uses of memories and episodes, each of which matters more by it. */
    noteUses: (uses: Uses, lift: (importance: number) => number) => noteUses(db, tenant, uses, lift),
    forget: (request: ForgetRequest, reach: Reach, operation: Operation | null) =>
      forgetMemory(db, tenant, request, { reach, now: isoNow, operation }),
    /** The index learns soon of what was written. Not awaited by whoever wrote: the list stands in the store. */
    async wakeIndexer(): Promise<void> {
      if (semantic === null) return;
      await indexer.wake(tenant).catch((error: unknown) => {
        console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
      });
    },

    /** Has the index work off what waits for it; false when it cannot. */
    catchUp: () =>
      indexer.drain(tenant).then(
        () => true,
        (error: unknown) => {
          console.error(JSON.stringify({ event: "vectors.error", ...describeDefect(error) }));
          return false;
        },
      ),

    /** Changes a memory where it stands; gives it as it then is, null when there is none. */
    change: (id: string, change: (memory: Memory) => Memory | null) => changeMemory(db, tenant, id, change),
    changeAll: (ids: readonly string[], change: (memory: Memory) => Memory | null) =>
      changeMemories(db, tenant, ids, change),
    /** A change that is applied once under its operation, which is kept with its answer. Loses races. */
    changeOnce: (
      id: string,
      change: (memory: Memory) => Memory | null,
      { response, ...operation }: Operation & { response: object },
    ) => {
      const applied = { ...operation, response: JSON.stringify(response) };
      return tryChange(db, tenant, id, change, { also: [recordOperations(tenant, [applied], isoNow())] });
    },
    addUses: (id: string, more: { uses: number; last: string }) => batch(db, addUses(tenant, id, more)),
    /** One memory takes the place of others, with all they rest on and all their uses. */
    mergeMemories: (keep: string, others: readonly string[]) =>
      mergeMemories(db, tenant, { keep, others, at: isoNow() }),

    writeEpisode: (episode: Episode, options: { dated: boolean; operation: Operation | null }) =>
      writeEpisode(db, tenant, episode, { ...options, now: isoNow() }),
    findEpisode: (id: string) => findEpisode(db, tenant, id),
    findEpisodes: (ids: readonly string[]) => findEpisodes(db, tenant, ids),
    listEpisodes: (filter: EpisodeFilter, page: Page) => listEpisodes(db, tenant, filter, page),
    episodesInOrder: (projectId: string, window: EpisodeWindow) =>
      episodesInOrder(db, tenant, projectId, window),
    referredTo: (episodeIds: readonly string[]) => referredTo(db, tenant, episodeIds),
    changeEpisodes: (ids: readonly string[], change: (episode: Episode) => Episode | null) =>
      changeEpisodes(db, tenant, ids, change),
    async eraseEpisode(id: string) {
      const which = sql`SELECT vector_id AS id FROM episodes WHERE tenant = ${tenant} AND id = ${id}`;
      const vectors = await dropVectors("episode", which);
      return { ...(await eraseEpisode(db, tenant, id)), vectors };
    },

    listMarked: (mark: Mark, filter: MarkedFilter, page: Page) => listMarked(db, tenant, mark, filter, page),
    allMarked: (mark: Mark, projectId: string) => allMarked(db, tenant, mark, projectId),
    findSaying: (identities: readonly string[]) => findSaying(db, tenant, identities),
    /** Live lessons that rest on some of these episodes. */
    lessonsFrom: (episodeIds: readonly string[], limit: number) => lessonsFrom(db, tenant, episodeIds, limit),
    findTopic: (scope: string, topicKey: string) => findTopic(db, tenant, scope, topicKey),
    findEnds: (ids: readonly string[]) => findEnds(db, tenant, ids),
    linksFrom: (ids: readonly string[]) => linksFrom(db, tenant, ids),
    find: (id: string) => findMemory(db, tenant, id),
    findAll: (ids: readonly string[]) => findMemories(db, tenant, ids),
    unindexed: (sessionId: string, limit: number) => unindexedMemories(db, tenant, sessionId, limit),
    list: (filter: MemoryFilter, page: Page) => listMemories(db, tenant, filter, page),
    /** The memories of a namespace, newest first. */
    listNamespace: (namespace: ResolvedNamespace, page: Page) => listNamespace(db, tenant, namespace, page),
    history: (id: string) => historyOf(db, tenant, id),
    triples: (pattern: Pattern) => matchTriples(db, tenant, pattern),
    countLive: (sessionId: string) => countLive(db, tenant, sessionId),
    async eraseMemory(id: string) {
      const which = memoriesWhere(sql`id = ${id}`);
      const vectors = await dropVectors("memory", which);
      return { ...(await eraseMemories(db, tenant, which, { at: isoNow() })), vectors };
    },

    /** The knowledge graph of an agent, of a project, or of the tenant itself. */
    graph: (owner: GraphOwner) =>
      createGraph(db, tenant, owner, {
        now: isoNow,
        async erase(which, also) {
          await dropVectors("memory", which);
          await eraseMemories(db, tenant, which, { at: isoNow(), also });
        },
      }),

    /** Memories by the namespace they are in and what their metadata says. */
    places: {
      list: (places: readonly Place[], window: { limit: number; offset: number }) =>
        listPlaces(db, tenant, places, window),
      namespaces: (prefix: string, window: { limit: number; offset: number }) =>
        listNamespaces(db, tenant, prefix, window),
      async erase(places: readonly Place[]): Promise<void> {
        const which = idsInPlaces(tenant, places);
        await dropVectors("memory", which);
        await eraseMemories(db, tenant, which, { at: isoNow() });
      },
    },

    link: (request: LinkCreate, operation: Operation | null) =>
      makeLink(db, tenant, request, { now: isoNow, operation }),
    /** The links of a memory or an episode, both ways. */
    linksOf: (id: string, page: { limit: number; after: LinkPlace | null }) =>
      listLinks(db, tenant, id, page),
    unlink: (id: string) => dropLink(db, tenant, id),
    contradictions: (
      filter: ContradictionFilter,
      page: { limit: number; after: ContradictionPlace | null },
    ) => listContradictions(db, tenant, filter, page),
    resolveContradiction: (request: ResolveInput & { id: string }, operation: Operation | null) =>
      resolveContradiction(db, tenant, request, { now: isoNow, operation }),

    putMessages: (
      conversation: Conversation,
      messages: readonly (Message & { position: number })[],
      from: number,
    ) => putMessages(db, tenant, conversation, messages, from),

    /** The items of one collection. A `vectors` collection takes none without an embedder. */
    items: (collection: Collection) => ({
      get: (keys: readonly string[]) => getItems(db, tenant, collection, keys),
      async put(items: readonly ProviderItem[]): Promise<void> {
        if (collection.vectors) requireSemantic(semantic);
        await putItems(db, tenant, collection, items, isoNow());
      },
      delete: (keys: readonly string[]) => deleteItems(db, tenant, collection, keys),
      byWords: (query: ProviderQuery) => findItemsByWords(db, tenant, collection, query),
      byMeaning: (query: ProviderQuery) =>
        findItemsByMeaning({ db, tenant, semantic, indexer, collection }, query),
    }),

    registerSession: (session: SessionRecord) => registerSession(db, tenant, session),
    findSession: (id: string) => findSession(db, tenant, id),
    listSessions: (filter: SessionFilter, page: Page) => listSessions(db, tenant, filter, page),
    /** Takes a session out of the registry, its messages, its own items and, if asked, its memories out of everything. */
    async eraseSession(id: string, { memories }: { memories: boolean }) {
      const which = memoriesWhere(memories ? sql`session_id = ${id}` : sql`false`);
      const said = sql`SELECT vector_id AS id FROM messages WHERE tenant = ${tenant} AND session_id = ${id}`;
      const vectors =
        (await dropVectors("memory", which)) +
        (await dropVectors("message", said)) +
        (await dropVectors("item", sessionItemVectors(tenant, id)));
      const erased = await eraseMemories(db, tenant, which, {
        at: isoNow(),
        also: [...dropMessages(tenant, id), ...dropSessionItems(tenant, id), ...dropSession(tenant, id)],
      });
      return { ...erased, vectors };
    },

    findSkill: (slug: string) => findSkill(db, tenant, slug),
    listSkills: (page: Page) => listSkills(db, tenant, page),
    /** A version of a skill, in place of the one before. */
    writeSkill: (version: SkillVersion) => writeSkill(db, tenant, version),

    readPolicy: (agentId: string) => readPolicy(db, tenant, agentId),
    savePolicy: (agentId: string, policy: PolicyInput) =>
      savePolicy(db, tenant, { agentId, policy, at: isoNow() }),

    saveLedger: (checkpoint: Checkpoint) => saveLedger(db, tenant, checkpoint, isoNow()),
    listLedgers: (agentId: string, page: { limit: number; before: number | null }) =>
      listLedgers(db, tenant, agentId, page),

    createHandoff: (handoff: HandoffCreate & { id: string }, operation: Operation | null) =>
      createHandoff(db, tenant, handoff, { now: isoNow(), operation }),
    acknowledgeHandoff: (taken: { id: string; agent_id: string }, operation: Operation | null) =>
      acknowledgeHandoff(db, tenant, taken, { now: isoNow(), operation }),
    findHandoff: (id: string) => findHandoff(db, tenant, id),
    listHandoffs: (filter: HandoffFilter, page: Page) => listHandoffs(db, tenant, filter, page),

    readOperation: <T>(operation: Operation) => readOperation<T>(db, tenant, operation),
    saveOperation: (operation: Operation & { response: object }) =>
      saveOperation(db, tenant, { ...operation, at: isoNow() }),
  };
}
