// IRIs: stored compact (`jido:summary`), shown in full. Minting and reading the names of instances.

export const PREFIXES = {
  jido: "https://jido.ai/ontology#",
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  owl: "http://www.w3.org/2002/07/owl#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  prov: "http://www.w3.org/ns/prov#",
} as const;

export type InstanceKind = "memory" | "session" | "agent" | "project" | "evidence" | "link";

export function expand(compact: string): string {
  const colon = compact.indexOf(":");
  const prefix = PREFIXES[compact.slice(0, colon) as keyof typeof PREFIXES];
  return prefix === undefined ? compact : prefix + compact.slice(colon + 1);
}

export function instance(kind: InstanceKind, id: string): string {
  return `jido:${kind}_${id}`;
}

/** The id in an instance's compact IRI, or null when it names something else. */
export function idOf(kind: InstanceKind, compact: string): string | null {
  const start = `jido:${kind}_`;
  return compact.startsWith(start) ? compact.slice(start.length) : null;
}

/** Evidence is named by its reference, so that the triple alone gives it back; ids pass through unchanged. */
export function evidenceIri(reference: string): string {
  return instance("evidence", encodeURIComponent(reference));
}

export function evidenceReference(compact: string): string | null {
  const encoded = idOf("evidence", compact);
  return encoded === null ? null : decodeURIComponent(encoded);
}
