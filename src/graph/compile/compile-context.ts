// What the compilation of a statement shares: parameters, aliases, the active graph and the rules of inference.
import type { Algebra } from "sparqlalgebrajs";
import type { Clocks } from "../../memories/history/memory-history";
import type { GraphSource } from "../graph-source";
import type { Inference } from "../inference";
import type { OntologyGraph } from "../ontology-graph";
import { type Columns, NotCompilable, type SelectBlock, type StatementWriter } from "./select-block";

/** The graph that patterns are matched in (SPARQL 1.1, section 13.3). Names are as they are stored. */
export type ActiveGraph =
  /** The default graph of the tenant. */
  | { readonly kind: "default" }
  /** The merge of graphs that FROM names. */
  | { readonly kind: "merge"; readonly names: readonly string[] }
  | { readonly kind: "named"; readonly name: string }
  /** Each named graph, or each of these, in turn. */
  | { readonly kind: "variable"; readonly variable: string; readonly names: readonly string[] | null };

export type CompileInput = {
  readonly source: GraphSource;
  /** The time that is read; the present without one. */
  readonly clocks: Clocks;
  readonly graph: ActiveGraph;
  /** The graphs of FROM NAMED; null for all. */
  readonly named: readonly string[] | null;
  /** Null if nothing is inferred. */
  readonly inference: Inference | null;
  /** Null if the ontology is not part of the graph. */
  readonly ontology: OntologyGraph | null;
};

export type CompileContext = CompileInput &
  StatementWriter & {
    /** Collects the predicates of the statements that are read; null stands for all. */
    readonly readPredicates: Set<string | null>;
    /** Returns the placeholder of a bound value. */
    readonly bind: (value: string) => string;
    /** Throws NotCompilable if the statement has too many closures. */
    readonly addClosure: () => void;
    /** The columns of the solution that an EXISTS is tested for. */
    readonly outer: Columns;
    /** Compiles an operation to blocks whose union it is. */
    readonly compile: (operation: Algebra.Operation, context: CompileContext) => SelectBlock[];
  };

/** Refuses operators whose solutions depend on which variables a surrounding EXISTS binds. */
export function refuseInExists({ outer }: CompileContext): void {
  if (outer.size > 0) throw new NotCompilable("An operator within EXISTS");
}
