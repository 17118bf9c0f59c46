// Imports a document: reads all of it as records of an import, as memories to be remembered and as changes, checks them,
// and then writes them. A repeated import changes nothing, so one that was interrupted is sent again.

import { FailureError, failure, unwrap } from "../../kernel/errors";
import { LIMITS } from "../../kernel/limits";
import { findGenericRelation } from "../../memories/links/link-schemas";
import { getEndId } from "../../memories/links/link-triples";
import { storeWrites } from "../../memories/remember";
import { updateMemory } from "../../memories/update-memory";
import { type Triple, toTripleKey } from "../../ontology/triples";
import type { Services } from "../../services/services";
import { checkRecord } from "../check-records";
import type { ExportRecord } from "../export-records";
import { cleanRecord, ImportCounts, storeRecords } from "../import-lines";
import type { ImportAnswer } from "../transfer-request";
import { classifySubjects, type DocumentSubject, groupBySubject } from "./document-subjects";
import type { GraphFormat } from "./graph-writer";
import { ImportProblems } from "./import-problems";
import { type LoweredMemories, lowerMemories, type StatedChange } from "./lower-memories";
import { type DocumentRecord, lowerLinks, lowerSubjects, reportStored } from "./lower-subjects";
import { parseGraph } from "./parse-graph";
import { StoredTriples } from "./stated-values";

/** Throws a failure that names the subjects and properties which cannot be stored; then nothing is. */
export async function importGraph(
  services: Services,
  text: string,
  format: GraphFormat,
): Promise<ImportAnswer> {
  const problems = new ImportProblems();
  const warnings: string[] = [];
  const grouped = groupBySubject(parseGraph(text, format));
  const subjects = classifySubjects(services.ontology, grouped, problems);
  if (subjects.memories.length > LIMITS.memoriesPerCall)
    throw failure(
      "payload_too_large",
      `The document has ${subjects.memories.length} memories, the limit is ${LIMITS.memoriesPerCall}. Send it in parts, each with whole subjects.`,
    );
  const stored = new StoredTriples();
  stored.add(await readStored(services, grouped));
  const lowered = lowerSubjects(services, subjects, problems);
  reportStored(lowered, stored, problems);
  const others = new Set([...subjects.episodes, ...subjects.entities].map(({ node }) => node));
  const memories = await lowerMemories(services, subjects, { others, stored, problems, warnings });
  const { resolve, restored, added, changed } = memories;
  const stated = new Set(
    grouped
      .flatMap(({ triples }) => triples)
      .map((triple) =>
        toTripleKey({ ...triple, subject: resolve(triple.subject), object: resolve(triple.object) }),
      ),
  );
  const links = await lowerLinks(services, subjects.links, {
    resolve,
    described: new Set([...subjects.memories, ...subjects.episodes].map(({ node }) => resolve(node))),
    states: (triple) => stated.has(toTripleKey(triple)) || stored.states(triple),
    problems,
    warnings,
  });
  const records: ExportRecord[] = [...restored];
  for (const { node, record } of [...lowered, ...links]) {
    await checkRecord(services.ontology, record).catch((error: unknown) => problems.add(node, error));
    const cleaned = problems.collect(node, () => cleanRecord(services, resolveRelations(record, resolve)));
    if (cleaned !== null) records.push(cleaned);
  }
  problems.requireNone();
  requireQuotaFor(services, memories);

  const counts = new ImportCounts();
  // A Link leads from memories that are there by then.
  await storeRecords(
    services,
    records.filter(({ kind }) => kind !== "link"),
    counts,
  );
  const ids = await rememberNew(services, added);
  for (const change of [...changed, ...listEpisodeLinks(lowered, stored, resolve)])
    await applyChange(services, change);
  counts.add("memory", { added: added.flat().length, changed: changed.length, known: memories.known });
  await storeRecords(
    services,
    records.filter(({ kind }) => kind === "link"),
    counts,
  );
  services.later(services.indexing.wake());
  return {
    imported: counts.list(),
    ...(Object.keys(ids).length === 0 ? {} : { ids }),
    ...(warnings.length === 0 ? {} : { warnings: limitWarnings(warnings) }),
  };
}

const MAX_WARNINGS = 100;

function limitWarnings(warnings: readonly string[]): string[] {
  const more = warnings.length - MAX_WARNINGS;
  return more > 0 ? [...warnings.slice(0, MAX_WARNINGS), `and ${more} more`] : [...warnings];
}

/** Reads what the store has of the subjects of a document, and of those that they lead to. */
function readStored({ store }: Services, subjects: readonly DocumentSubject[]): Promise<Triple[]> {
  const objects = subjects.flatMap(({ triples }) =>
    triples.flatMap(({ object, datatype }) => (datatype === "" ? [object] : [])),
  );
  const iris = [...subjects.map(({ node }) => node), ...objects];
  return store.subjects.findTriples([...new Set(iris)].filter((iri) => /^jido:[a-z]+_/.test(iri)));
}

/** Throws `limit_exceeded` if the quota has no room for all new memories of the document. */
function requireQuotaFor({ usage, quotas }: Services, { restored, added: steps }: LoweredMemories): void {
  const added = restored.length + steps.flat().length;
  if (added > 0 && quotas.memories > 0 && usage.memories + added > quotas.memories)
    throw failure(
      "limit_exceeded",
      `This tenant has ${usage.memories} memories, the document adds ${added}, and the quota of memories is ${quotas.memories}. Erase some, or ask the operator to raise the quota.`,
    );
}

/** The relations of an episode lead to nodes of the document. */
function resolveRelations(record: ExportRecord, resolve: (node: string) => string): ExportRecord {
  if (record.kind !== "episode") return record;
  return {
    ...record,
    relations: record.relations.map(({ predicate, to }) => ({ predicate, to: resolve(to) })),
  };
}

/** Lists the links that stored episodes do not have yet. */
function listEpisodeLinks(
  lowered: readonly DocumentRecord[],
  stored: StoredTriples,
  resolve: (node: string) => string,
): StatedChange[] {
  return lowered.flatMap(({ node, record }) => {
    if (record.kind !== "episode" || !stored.has(node)) return [];
    const links = record.relations
      .map(({ predicate, to }) => ({ subject: node, predicate, object: resolve(to), datatype: "" }))
      .filter((link) => !stored.states(link));
    return links.length === 0 ? [] : [{ node, id: record.id, input: null, links }];
  });
}

/** Remembers new memories, those first that others lead to. Returns the id of each by its node. */
async function rememberNew(
  services: Services,
  added: LoweredMemories["added"],
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const step of added) {
    const results = await storeWrites(
      services,
      step.map(({ write }) => write),
    );
    for (const [i, { node, id }] of step.entries()) {
      const result = results[i];
      if (result === undefined) throw failure("internal", "The write returned no result.");
      if (!result.ok) throw atNode(node, new FailureError(result.failure));
      if (result.value.memory_id !== id)
        throw failure("conflict", `${node}: the same content was stored meanwhile. Send the document again.`);
      ids[node] = id;
    }
  }
  return ids;
}

async function applyChange(services: Services, { node, id, input, links }: StatedChange): Promise<void> {
  try {
    if (input !== null) await updateMemory(services, id, input);
    for (const { subject, predicate, object } of links) {
      const relation = findGenericRelation(predicate.replace("jido:", ""));
      if (relation === null) throw failure("internal", `${predicate} is no link.`);
      const ends = { from: getEndId(subject), to: getEndId(object) };
      unwrap(await services.store.links.create({ ...ends, relation }, null));
    }
  } catch (error) {
    throw error instanceof FailureError ? atNode(node, error) : error;
  }
}

function atNode(node: string, { failure: failed }: FailureError): FailureError {
  return new FailureError({ ...failed, detail: `${node}: ${failed.detail}` });
}
