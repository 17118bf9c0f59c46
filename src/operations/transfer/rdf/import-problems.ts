// Collects what is wrong with a document, so that one answer names all of it and nothing is written.
import { FailureError, type FieldError, failure } from "../../../platform/errors";

export class ImportProblems {
  readonly #errors: FieldError[] = [];

  /** `predicate` is null for a problem of the subject as a whole. */
  report(node: string, predicate: string | null, message: string): void {
    this.#errors.push({ path: predicate === null ? node : `${node} ${predicate}`, message });
  }

  /** Runs work whose failure is a problem of a subject. Returns null if it failed. */
  collect<T>(node: string, work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      const { errors, detail } = error.failure;
      if (errors === undefined) this.report(node, null, detail);
      else for (const { path, message } of errors) this.report(node, toPredicate(path), message);
      return null;
    }
  }

  /** Throws if anything was reported. */
  requireNone(): void {
    const [first] = this.#errors;
    if (first !== undefined)
      throw failure(
        "unprocessable",
        `${first.path}: ${first.message.replace(/\.$/, "")}. Nothing was imported.`,
        {
          errors: [...this.#errors],
        },
      );
  }
}

/** The properties of the ontology that fields of other requests state. */
const FIELD_PREDICATES: Readonly<Record<string, string>> = {
  content: "jido:summary",
  confidence: "jido:confidenceValue",
  source_type: "jido:hasSourceType",
  project_id: "jido:appliesToProject",
  key: "jido:topicKey",
  tags: "jido:tag",
  metadata: "jido:memoryMetadata",
  valid_from: "jido:validFrom",
  valid_until: "jido:validUntil",
  rationale: "jido:rationale",
};

function toPredicate(path: string): string {
  return FIELD_PREDICATES[path] ?? path.replace(/^properties\./, "jido:");
}
