// RDF terms as the store has them: compact IRIs, and a kind that is "" for IRIs and blank nodes, a compact datatype, or
// "@" and a language.
import type { Term } from "n3";
import { computeLiteralKey, PREFIXES } from "../ontology/triples";
import { blankNode, literal, namedNode } from "./rdf-terms";
import type { RdfTerm } from "./sparql-answer";

export type StoredTerm = { value: string; kind: string };

const NAMESPACES = Object.entries(PREFIXES);

/** Marks a full IRI that reads like a compact one. No IRI begins with it. */
const FULL_IRI = "<";

export function encodeIri(iri: string): string {
  const known = NAMESPACES.find(([, namespace]) => iri.startsWith(namespace));
  if (known !== undefined) return `${known[0]}:${iri.slice(known[1].length)}`;
  return Object.hasOwn(PREFIXES, iri.slice(0, Math.max(0, iri.indexOf(":")))) ? FULL_IRI + iri : iri;
}

export function decodeIri(stored: string): string {
  if (stored.startsWith(FULL_IRI)) return stored.slice(1);
  const colon = stored.indexOf(":");
  const label = stored.slice(0, Math.max(0, colon));
  return Object.hasOwn(PREFIXES, label)
    ? PREFIXES[label as keyof typeof PREFIXES] + stored.slice(colon + 1)
    : stored;
}

export function encodeTerm(term: Term): StoredTerm {
  switch (term.termType) {
    case "NamedNode":
      return { value: encodeIri(term.value), kind: "" };
    case "BlankNode":
      return { value: `_:${term.value}`, kind: "" };
    case "Literal":
      return {
        value: term.value,
        kind: term.language === "" ? encodeIri(term.datatype.value) : `@${term.language.toLowerCase()}`,
      };
    default:
      throw new Error(`A ${term.termType} is not stored`);
  }
}

export function decodeTerm({ value, kind }: StoredTerm): RdfTerm {
  if (kind === "") return value.startsWith("_:") ? blankNode(value.slice(2)) : namedNode(decodeIri(value));
  return kind.startsWith("@") ? literal(value, kind.slice(1)) : literal(value, namedNode(decodeIri(kind)));
}

/** Returns the key that the store compares: a digest for a long literal. */
export function encodeKey({ value, kind }: StoredTerm): string {
  return kind === "" ? value : computeLiteralKey(value);
}
