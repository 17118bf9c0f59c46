// Describes how a document changes a stored memory, as a request that PATCH would take.
import { isExtensionName, toLocalTermName } from "../../../ontology/extensions/extension-names";
import { isJsonObject } from "../../../platform/json";
import type { Memory } from "../../../schemas/memory";
import type { UpdateMemoryInput } from "../../../schemas/memory-requests";
import { toMemoryView } from "../../../store/memories/memory-mapping";
import type { ImportProblems } from "./import-problems";

/** The fields that a document cannot change, with the properties that state them. */
const FIXED = {
  rationale: "jido:rationale",
  evidence: "jido:derivedFrom",
  topic_key: "jido:topicKey",
  source_type: "jido:hasSourceType",
  timestamp: "jido:hasTimestamp",
  session_id: "jido:assertedIn",
  user_id: "jido:concernsUser",
  agent_id: "jido:assertedBy",
  project_id: "jido:appliesToProject",
  superseded_by: "jido:supersededBy",
  invalidated_by: "jido:invalidatedBy",
  forgotten_at: "jido:forgottenAt",
  forget_reason: "jido:forgetReason",
} as const;

/** Returns the request that changes a stored memory as a document states it; null if it states nothing new. */
export function describeChange(
  before: Memory,
  after: Memory,
  node: string,
  problems: ImportProblems,
): UpdateMemoryInput | null {
  for (const [field, predicate] of Object.entries(FIXED) as [keyof typeof FIXED, string][])
    if (!isSame(before[field], after[field]))
      problems.report(
        node,
        predicate,
        "differs from that of the stored memory, which keeps it: leave it out, or state a new memory",
      );
  const names = Object.keys(after.properties).filter(
    (name) => !isSame(before.properties[name]?.toSorted(), after.properties[name]?.toSorted()),
  );
  const view = toMemoryView(after).properties;
  const input: UpdateMemoryInput = {
    ...(before.content === after.content ? {} : { content: after.content }),
    ...(before.type === after.type ? {} : { type: after.type }),
    ...(before.confidence === after.confidence ? {} : { confidence: after.confidence }),
    ...(before.valid_from === after.valid_from ? {} : { valid_from: after.valid_from }),
    ...(before.valid_until === after.valid_until ? {} : { valid_until: after.valid_until }),
    ...(isSame(before.tags, after.tags) ? {} : { tags: after.tags }),
    ...(isSame(before.metadata, after.metadata)
      ? {}
      : { metadata: replaceMetadata(before.metadata, after.metadata) }),
    ...(names.length === 0
      ? {}
      : {
          properties: Object.fromEntries(
            names.map((name) => [
              isExtensionName(name) ? toLocalTermName(name) : name,
              view[toLocalTermName(name)] ?? [],
            ]),
          ),
        }),
  };
  return Object.keys(input).length === 0 ? null : input;
}

/** PATCH merges metadata, so a key that is no longer there is sent as null. */
function replaceMetadata(
  before: Memory["metadata"],
  after: Memory["metadata"],
): UpdateMemoryInput["metadata"] {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return { ...after, ...Object.fromEntries(removed.map((key) => [key, null])) };
}

/** Compares values independent of the order of lists and of the keys of objects. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(normalise(a)) === JSON.stringify(normalise(b));
}

function normalise(value: unknown): unknown {
  if (Array.isArray(value)) return value.toSorted();
  return isJsonObject(value) ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : value;
}
