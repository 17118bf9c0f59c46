// shacl-engine has no types of its own; these are the parts that the service uses.
declare module "shacl-engine" {
  import type { DataFactory, Term } from "n3";

  interface ShapesDataset {
    readonly size: number;
    match(subject?: Term | null, predicate?: Term | null, object?: Term | null): ShapesDataset;
  }

  export interface ValidationResult {
    /** The steps of the path; absent for a node shape. */
    readonly path:
      | readonly { readonly start: "subject" | "object"; readonly predicates: readonly Term[] }[]
      | null;
    readonly severity: Term;
    readonly message: readonly Term[];
    readonly constraintComponent: Term;
  }

  export class Validator {
    constructor(shapes: ShapesDataset, options: { factory: typeof DataFactory });
    validate(data: { dataset: ShapesDataset }): Promise<{ readonly results: readonly ValidationResult[] }>;
  }
}
