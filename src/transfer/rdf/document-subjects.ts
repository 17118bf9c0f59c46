// Groups the triples of a document by their subjects, and tells what each subject is by its class.
import type { Quad } from "n3";
import { encodeIri, encodeTerm } from "../../graph/stored-terms";
import { failure } from "../../kernel/errors";
import { findMemoryType } from "../../ontology/classes";
import { parseEntityName } from "../../ontology/entity-classes";
import { isExtensionName, toExtensionType } from "../../ontology/extension-names";
import type { MemoryType } from "../../ontology/generated/terms.generated";
import { listMemoryTypes, type TenantOntology } from "../../ontology/tenant-ontology";
import { parseInstanceId, type Triple } from "../../ontology/triples";
import type { ImportProblems } from "./import-problems";
import { parseActivityIri } from "./provenance";

/** A subject with its triples, in their order. `node` is a compact IRI, or a blank node as `_:label`. */
export type DocumentSubject = { node: string; triples: Triple[] };

export type ClassifiedSubjects = {
  /** A memory whose class the document does not state is one that is stored. */
  memories: (DocumentSubject & { type: MemoryType | null })[];
  episodes: DocumentSubject[];
  sessions: DocumentSubject[];
  links: DocumentSubject[];
  entities: (DocumentSubject & { className: string })[];
  /** By the ids of the memories that they made. */
  activities: ReadonlyMap<string, DocumentSubject>;
};

/** Throws a failure if a triple is in a named graph. */
export function groupBySubject(quads: readonly Quad[]): DocumentSubject[] {
  const named = quads.find(({ graph }) => graph.termType !== "DefaultGraph");
  if (named !== undefined) {
    const message = `the graph ${named.graph.value} is not stored: the default graph has everything. Move its triples there`;
    throw failure("unprocessable", `data: ${message}.`, { errors: [{ path: "data", message }] });
  }
  const triples = quads.map(({ subject, predicate, object }): Triple => {
    const { value, kind } = encodeTerm(object);
    return {
      subject: encodeTerm(subject).value,
      predicate: encodeIri(predicate.value),
      object: value,
      datatype: kind,
    };
  });
  const malformed = triples
    .flatMap(({ subject, object }) => [subject, object])
    .find((iri) => !isDecodable(iri));
  if (malformed !== undefined)
    throw failure("unprocessable", `data: ${malformed} is not percent-encoded. Encode its id again.`, {
      errors: [{ path: "data", message: `is not percent-encoded: ${malformed}` }],
    });
  return [...Map.groupBy(triples, ({ subject }) => subject)].map(([node, own]) => ({
    node,
    triples: removeRepeated(own),
  }));
}

/** The ids of users and references of evidence are encoded in their IRIs. */
function isDecodable(iri: string): boolean {
  if (!/^jido:(?:evidence|user)_.*%/.test(iri)) return true;
  try {
    decodeURIComponent(iri);
    return true;
  } catch {
    return false;
  }
}

/** A graph is a set of triples. */
function removeRepeated(triples: readonly Triple[]): Triple[] {
  return [...new Map(triples.map((triple) => [JSON.stringify(triple), triple])).values()];
}

/** Reports subjects of other classes than those that are stored. */
export function classifySubjects(
  ontology: TenantOntology,
  subjects: readonly DocumentSubject[],
  problems: ImportProblems,
): ClassifiedSubjects {
  const types = new Set<string>(listMemoryTypes(ontology));
  const activities = new Map<string, DocumentSubject>();
  const classified: ClassifiedSubjects = {
    memories: [],
    episodes: [],
    sessions: [],
    links: [],
    entities: [],
    activities,
  };
  for (const subject of subjects) {
    const { node, triples } = subject;
    const classes = triples.filter(({ predicate }) => predicate === "rdf:type").map(({ object }) => object);
    const [iri] = classes;
    if (classes.length > 1) {
      problems.report(node, "rdf:type", `takes one class, the most specific: ${classes.join(", ")}`);
      continue;
    }
    const type = iri === undefined ? undefined : findType(iri);
    const activity = parseActivityIri(node);
    if (iri === undefined && parseInstanceId("memory", node) !== null)
      classified.memories.push({ ...subject, type: null });
    else if (iri === undefined) problems.report(node, "rdf:type", "is missing: state the class");
    else if (type !== undefined && types.has(type)) classified.memories.push({ ...subject, type });
    else if (iri === "jido:Episode") classified.episodes.push(subject);
    else if (iri === "jido:WorkSession") classified.sessions.push(subject);
    else if (iri === "jido:Link") classified.links.push(subject);
    else if (iri === "prov:Activity" && activity !== null) activities.set(activity, subject);
    else if (node.startsWith("jido:") && parseEntityName(node.slice("jido:".length)) !== null)
      classified.entities.push({ ...subject, className: iri.replace("jido:", "") });
    else
      problems.report(
        node,
        "rdf:type",
        `unsupported class ${iri}: memories, episodes, sessions, links, agents, projects and resources are imported. ` +
          "Leave the subject out, or declare the class in an extension",
      );
  }
  return classified;
}

function findType(iri: string): MemoryType | undefined {
  if (isExtensionName(iri)) return toExtensionType(iri);
  return iri.startsWith("jido:") ? findMemoryType(iri.slice("jido:".length)) : undefined;
}
