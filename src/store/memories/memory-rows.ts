// A memory as a row of the read model, and its text as the text index sees it.
import type { InferSelectModel } from "drizzle-orm";
import { getMemoryStatus } from "../../domain/memory-status";
import { getBaseName, isAgentNamespace } from "../../domain/policy/namespace";
import { hash64 } from "../../platform/hash";
import { parseJson } from "../../platform/json";
import type { Memory, MemoryView } from "../../schemas/memory";
import { toIndexText } from "../../text/query-terms";
import type { memories } from "../tables";
import type { Triple } from "../triples/memory-triples";
import { namespaceIn, SHARED, scopeOf } from "./memory-id";

export type MemoryRow = InferSelectModel<typeof memories>;

/** A row as it goes into a batch, with what the text index takes. */
export type NewRow = Omit<MemoryRow, "seq"> & {
  fts: { scope: string; content: string; rationale: string };
};

export function toRow(tenant: string, identity: string, memory: Memory): NewRow {
  const { evidence, properties, ...fields } = memory;
  return {
    ...fields,
    tenant,
    identity,
    scope: scopeOf(memory),
    live: getMemoryStatus(memory) === "live" ? 1 : 0,
    evidence: JSON.stringify(evidence),
    properties: JSON.stringify(properties),
    fts: {
      scope: scopeTokens(tenant, { ...memory, scope: scopeOf(memory) }).join(" "),
      content: toIndexText(memory.content),
      rationale: toIndexText(memory.rationale ?? ""),
    },
  };
}

export function fromRow(row: MemoryRow): Memory {
  const { seq: _seq, live: _live, tenant: _tenant, identity: _identity, scope: _scope, ...fields } = row;
  return {
    ...fields,
    type: row.type as Memory["type"],
    source_type: row.source_type as Memory["source_type"],
    evidence: parseJson<string[]>(row.evidence),
    properties: parseJson<Record<string, string[]>>(row.properties),
  };
}

export function toView(memory: Memory): MemoryView {
  const { topic_key, ...fields } = memory;
  return {
    ...fields,
    kind: "memory",
    status: getMemoryStatus(memory),
    key: topic_key,
    valid_from: memory.valid_from ?? memory.timestamp,
  };
}

/** A triple with the digest that keeps long texts out of the indexes. */
export function toTripleRow(triple: Triple) {
  return { ...triple, digest: objectDigest(triple.object) };
}

const LONG_OBJECT = 64;

function objectDigest(object: string): string | null {
  return object.length > LONG_OBJECT ? `#${hash64(object)}` : null;
}

/** What `object_key` holds for this object. */
export function objectKey(object: string): string {
  return objectDigest(object) ?? object;
}

type ScopeKind = "session" | "agent" | "project" | "collection" | "namespace";

/** One token that the text index keeps for everything in a scope; ends in 0 so that no stemmer shortens it. */
export function scopeToken(tenant: string, kind: ScopeKind, id: string): string {
  return `${kind.charAt(0)}${hash64(`${tenant}/${kind}/${id}`)}0`;
}

type Belongs = {
  session_id: string | null;
  agent_id: string | null;
  project_id: string | null;
  /** Of a memory: where it belongs. */
  scope?: string;
};

/**
 * The tokens by which both indexes filter, null where something belongs to none. What is under a namespace of one's own
 * is found there and in its session, and nowhere else: the namespace takes the place of the project.
 */
export function scopesOf(tenant: string, { session_id, agent_id, project_id, scope = "" }: Belongs) {
  const token = (kind: ScopeKind, id: string | null) => (id === null ? null : scopeToken(tenant, kind, id));
  const namespace = namespaceIn(scope);
  const session = token("session", session_id);
  if (namespace !== null && !isAgentNamespace(namespace))
    return { session, agent: null, project: token("namespace", getBaseName(namespace)) };
  const project = scope === SHARED ? "" : project_id;
  return { session, agent: token("agent", agent_id), project: token("project", project) };
}

export function scopeTokens(tenant: string, belongs: Belongs): string[] {
  return Object.values(scopesOf(tenant, belongs)).filter((token) => token !== null);
}
