// Syntaxes for the graphs of CONSTRUCT and DESCRIBE: Turtle, N-Triples, TriG, N-Quads and expanded JSON-LD.
import type { Quad, Quad_Object, Quad_Subject, Term } from "n3";
// The parts of n3 without its streams, which a Worker cannot load.
import DataFactory from "n3/src/N3DataFactory.js";
import Writer from "n3/src/N3Writer.js";
import { PREFIXES } from "../../store/triples/triples";
import { RDF_TYPE, XSD } from "../terms/rdf-terms";
import { createBlankNodeLabels, type LabelBlankNode } from "./blank-node-labels";

/** The formats of n3's writer. */
export type WriterFormat = "Turtle" | "N-Triples" | "TriG" | "N-Quads";

export function writeGraph(quads: readonly Quad[], format: WriterFormat): Promise<string> {
  const label = createBlankNodeLabels();
  const relabel = <T extends Term>(term: T) =>
    term.termType === "BlankNode" ? DataFactory.blankNode(label(term)) : term;
  const isAbbreviated = format === "Turtle" || format === "TriG";
  return new Promise((resolve, reject) => {
    const writer = new Writer({ format, ...(isAbbreviated && { prefixes: { ...PREFIXES } }) });
    for (const { subject, predicate, object, graph } of quads)
      writer.addQuad(
        DataFactory.quad(relabel(subject) as Quad_Subject, predicate, relabel(object) as Quad_Object, graph),
      );
    writer.end((error, result) => (error ? reject(error) : resolve(result)));
  });
}

type JsonLdNode = Record<string, unknown[] | string>;

/** Returns expanded JSON-LD, which readers parse without loading a context. */
export function toExpandedJsonLd(quads: readonly Quad[]): JsonLdNode[] {
  const label = createBlankNodeLabels();
  const nodes = new Map<string, JsonLdNode>();
  for (const { subject, predicate, object } of quads) {
    const id = toJsonLdId(subject, label);
    const node = nodes.get(id) ?? { "@id": id };
    nodes.set(id, node);
    const isType = predicate.value === RDF_TYPE && object.termType !== "Literal";
    const key = isType ? "@type" : predicate.value;
    const value = isType ? toJsonLdId(object, label) : toJsonLdValue(object, label);
    const values = node[key];
    if (Array.isArray(values)) values.push(value);
    else node[key] = [value];
  }
  return [...nodes.values()];
}

function toJsonLdId(term: Term, label: LabelBlankNode): string {
  return term.termType === "BlankNode" ? `_:${label(term)}` : term.value;
}

function toJsonLdValue(term: Term, label: LabelBlankNode): object {
  if (term.termType !== "Literal") return { "@id": toJsonLdId(term, label) };
  if (term.language !== "") return { "@value": term.value, "@language": term.language };
  const datatype = term.datatype.value;
  return datatype === XSD.string ? { "@value": term.value } : { "@value": term.value, "@type": datatype };
}
