// Types for the tests; the scripts themselves are plain JavaScript.

/** The parsed Turtle: opaque, to be handed to `problems` and `generate`. */
export interface Ontology {
  readonly modules: readonly { readonly file: string; readonly name: string }[];
}

interface DeclaredTerm {
  readonly name: string;
  readonly module: string;
}

export function readOntology(directory: string): Ontology;
export function parseOntology(files: Readonly<Record<string, string>>): Ontology;
export function shapeNames(ontology: Ontology): string[];
export function terms(ontology: Ontology): {
  classes: Map<string, DeclaredTerm>;
  properties: Map<string, DeclaredTerm & { readonly kind: "object" | "datatype" }>;
  individuals: Map<string, DeclaredTerm>;
};
