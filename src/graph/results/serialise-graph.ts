// Serialises the graphs of CONSTRUCT and DESCRIBE.
import type { Quad, Quad_Object, Quad_Subject, Term } from "n3";
// The part of n3 without its streams, which a Worker cannot load.
import DataFactory from "n3/src/N3DataFactory.js";
import { type QuadSyntax, serialiseQuads } from "../../ontology/quad-syntax";
import { createBlankNodeLabels } from "./blank-node-labels";

export function serialiseGraph(quads: readonly Quad[], syntax: QuadSyntax): Promise<string> {
  const label = createBlankNodeLabels();
  const relabel = <T extends Term>(term: T) =>
    term.termType === "BlankNode" ? DataFactory.blankNode(label(term)) : term;
  const relabelled = quads.map(({ subject, predicate, object, graph }) =>
    DataFactory.quad(relabel(subject) as Quad_Subject, predicate, relabel(object) as Quad_Object, graph),
  );
  return serialiseQuads(relabelled, syntax);
}
