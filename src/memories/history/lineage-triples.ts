// The lineage of a memory in PROV-O: entities, the activity that generated the memory, and the agents behind it.

import { formatDecimal, type Triple, toEvidenceIri, toInstanceIri, toUserIri } from "../../ontology/triples";
import type { LineageSource, MemoryLineage } from "./lineage-schemas";

/** Returns triples with compact IRIs. Texts are `prov:value`. */
export function toProvTriples(lineage: MemoryLineage): Triple[] {
  const { memory, activity, sources, supersedes, superseded_by, forgotten, derived } = lineage;
  const triples: Triple[] = [];
  const relate = (subject: string, predicate: string, object: string) =>
    triples.push({ subject, predicate, object, datatype: "" });
  const state = (subject: string, predicate: string, object: string, datatype = "xsd:string") =>
    triples.push({ subject, predicate, object, datatype });
  const describe = (subject: string, text: string, at: string) => {
    relate(subject, "rdf:type", "prov:Entity");
    state(subject, "prov:value", text);
    state(subject, "prov:generatedAtTime", at, "xsd:dateTime");
  };

  const entity = toInstanceIri("memory", memory.id);
  describe(entity, memory.content, activity.at);
  const run = `jido:activity_${memory.id}`;
  relate(entity, "prov:wasGeneratedBy", run);
  relate(run, "rdf:type", "prov:Activity");
  state(run, "rdfs:label", activity.kind);
  state(run, "prov:endedAtTime", activity.at, "xsd:dateTime");
  if (memory.rationale !== null) state(entity, "jido:rationale", memory.rationale);
  if (activity.importance !== null)
    state(run, "jido:importanceScore", formatDecimal(activity.importance.score), "xsd:decimal");

  const agents = listAgents(lineage);
  for (const { iri, type } of agents) {
    relate(iri, "rdf:type", type);
    relate(run, "prov:wasAssociatedWith", iri);
  }
  // A program acts for the agent, and the agent for the user.
  for (const [i, { iri }] of agents.entries()) {
    const principal = agents[i + 1];
    if (principal === undefined) relate(entity, "prov:wasAttributedTo", iri);
    else relate(iri, "prov:actedOnBehalfOf", principal.iri);
  }

  for (const source of sources) {
    const iri = toSourceIri(source);
    relate(entity, "prov:wasDerivedFrom", iri);
    relate(run, "prov:used", iri);
    if (source.kind === "reference") {
      relate(iri, "rdf:type", "prov:Entity");
      state(iri, "prov:value", source.reference);
    } else describe(iri, source.kind === "episode" ? source.goal : source.content, source.timestamp);
  }
  for (const old of supersedes) {
    const iri = toInstanceIri("memory", old.id);
    describe(iri, old.content, old.timestamp);
    relate(entity, "prov:wasRevisionOf", iri);
    relate(iri, "prov:wasInvalidatedBy", run);
  }
  if (superseded_by !== null) {
    const iri = toInstanceIri("memory", superseded_by.id);
    describe(iri, superseded_by.content, superseded_by.timestamp);
    relate(iri, "prov:wasRevisionOf", entity);
    state(entity, "prov:invalidatedAtTime", superseded_by.at, "xsd:dateTime");
  } else if (forgotten !== null) state(entity, "prov:invalidatedAtTime", forgotten.at, "xsd:dateTime");
  for (const other of derived) {
    const iri = toInstanceIri("memory", other.id);
    describe(iri, other.content, other.timestamp);
    relate(iri, "prov:wasDerivedFrom", entity);
  }
  return [...new Map(triples.map((triple) => [JSON.stringify(triple), triple])).values()];
}

/** Returns the agents behind a memory: the key that was used, the agent, and the user, as far as they are known. */
function listAgents({ memory, activity }: MemoryLineage): { iri: string; type: string }[] {
  return [
    ...(activity.key_id === null ? [] : [{ iri: toKeyIri(activity.key_id), type: "prov:SoftwareAgent" }]),
    ...(memory.agent_id === null
      ? []
      : [{ iri: toInstanceIri("agent", memory.agent_id), type: "prov:SoftwareAgent" }]),
    ...(memory.user_id === null ? [] : [{ iri: toUserIri(memory.user_id), type: "prov:Person" }]),
  ];
}

/** Ids of keys have their prefix already, unlike the name of the admin key. */
function toKeyIri(id: string): string {
  return id.startsWith("key_") ? `jido:${id}` : `jido:key_${id}`;
}

function toSourceIri(source: LineageSource): string {
  switch (source.kind) {
    case "memory":
      return toInstanceIri("memory", source.id);
    case "message":
      return toEvidenceIri(`message:${source.id}`);
    case "episode":
      return toEvidenceIri(source.id);
    case "reference":
      return toEvidenceIri(source.reference);
  }
}
