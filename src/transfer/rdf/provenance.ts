// The activity that made a memory, in PROV-O, and back. What else PROV-O says of a memory follows from its properties:
// `jido:derivedFrom` is a `prov:wasDerivedFrom`, `jido:assertedBy` a `prov:wasAttributedTo`.
import { parseJson } from "../../kernel/json";
import { ACTIVITY_KINDS, type ActivityKind, type MemoryActivity } from "../../memories/memory-fields";
import type { MemoryRow } from "../../memories/store/memory-mapping";
import { type Triple, toInstanceIri } from "../../ontology/triples";

/** How and when a memory was stored, as its row has it. */
export type StoredActivity = { activity: MemoryActivity | null; recorded_at: string | null };

export const NOT_RECORDED: StoredActivity = { activity: null, recorded_at: null };

/** The label of an activity that is not recorded. */
const UNKNOWN = "unknown";

const ACTIVITY = "jido:activity_";
const KEY = "jido:key_";

/** Returns the id of the memory that an activity made; null if the IRI is none of an activity. */
export function parseActivityIri(iri: string): string | null {
  return iri.startsWith(ACTIVITY) ? iri.slice(ACTIVITY.length) : null;
}

/** Returns the triples of the activity, and the one that leads from the memory to it. */
export function toActivityTriples({
  id,
  activity,
  recorded_at,
  timestamp,
}: Pick<MemoryRow, "id" | "activity" | "recorded_at" | "timestamp">): {
  memory: Triple[];
  activity: Triple[];
} {
  if (activity === null && recorded_at === null) return { memory: [], activity: [] };
  const { kind, key_id } = activity === null ? {} : parseJson<Partial<MemoryActivity>>(activity);
  const subject = ACTIVITY + id;
  const relate = (predicate: string, object: string): Triple => ({
    subject,
    predicate,
    object,
    datatype: "",
  });
  const state = (predicate: string, datatype: string, object: string): Triple => ({
    subject,
    predicate,
    object,
    datatype,
  });
  return {
    memory: [
      {
        subject: toInstanceIri("memory", id),
        predicate: "prov:wasGeneratedBy",
        object: subject,
        datatype: "",
      },
    ],
    activity: [
      relate("rdf:type", "prov:Activity"),
      state("rdfs:label", "xsd:string", kind ?? UNKNOWN),
      state("prov:endedAtTime", "xsd:dateTime", recorded_at ?? timestamp),
      ...(key_id === undefined ? [] : [relate("prov:wasAssociatedWith", toKeyIri(key_id))]),
    ],
  };
}

function toKeyIri(id: string): string {
  return id.startsWith("key_") ? `jido:${id}` : KEY + id;
}

/** Returns what the triples of an activity state; a text that says what is wrong with them otherwise. */
export function parseActivityTriples(
  triples: readonly Triple[],
  timestamp: string,
): StoredActivity | { predicate: string; problem: string } {
  let kind: ActivityKind | null = null;
  let endedAt: string | null = null;
  let key: string | null = null;
  for (const { predicate, object, datatype } of triples) {
    if (predicate === "rdf:type") continue;
    if (predicate === "rdfs:label" && datatype === "xsd:string") {
      kind = ACTIVITY_KINDS.find((one) => one === object) ?? null;
      if (kind === null && object !== UNKNOWN)
        return { predicate, problem: `must be one of: ${[...ACTIVITY_KINDS, UNKNOWN].join(", ")}` };
    } else if (
      predicate === "prov:endedAtTime" &&
      datatype === "xsd:dateTime" &&
      !Number.isNaN(Date.parse(object))
    )
      endedAt = new Date(object).toISOString();
    else if (predicate === "prov:wasAssociatedWith" && object.startsWith(KEY) && datatype === "")
      key = object.slice("jido:".length);
    else return { predicate, problem: "is not stored of an activity with this value: leave it out" };
  }
  return {
    activity: kind === null ? null : { kind, ...(key === null ? {} : { key_id: key }) },
    recorded_at: endedAt === timestamp ? null : endedAt,
  };
}
