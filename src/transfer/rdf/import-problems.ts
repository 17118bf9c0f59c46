// Collects what is wrong with a document, so that one answer names all of it and nothing is written.
import { FailureError, type FieldError, failure } from "../../kernel/errors";

export class ImportProblems {
  readonly #errors: FieldError[] = [];

  /** `predicate` is null for a problem of the subject as a whole. */
  report(node: string, predicate: string | null, message: string): void {
    this.#errors.push({ path: predicate === null ? node : `${node} ${predicate}`, message });
  }

  /** Reports a failure of a subject. Throws any other error. */
  add(node: string, error: unknown): null {
    if (!(error instanceof FailureError)) throw error;
    const { errors, detail } = error.failure;
    if (errors === undefined) this.report(node, null, detail);
    else for (const { path, message } of errors) this.report(node, toPredicate(path), message);
    return null;
  }

  /** Runs work whose failure is a problem of a subject. Returns null if it failed. */
  collect<T>(node: string, work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      return this.add(node, error);
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

/** The properties of the ontology that state the fields of a memory. */
export const FIELD_PREDICATES: Readonly<Record<string, string>> = {
  content: "jido:summary",
  confidence: "jido:confidenceValue",
  importance: "jido:importanceScore",
  source_type: "jido:hasSourceType",
  rationale: "jido:rationale",
  evidence: "jido:derivedFrom",
  key: "jido:topicKey",
  topic_key: "jido:topicKey",
  timestamp: "jido:hasTimestamp",
  session_id: "jido:assertedIn",
  user_id: "jido:concernsUser",
  agent_id: "jido:assertedBy",
  project_id: "jido:appliesToProject",
  valid_from: "jido:validFrom",
  valid_until: "jido:validUntil",
  superseded_by: "jido:supersededBy",
  invalidated_by: "jido:invalidatedBy",
  forgotten_at: "jido:forgottenAt",
  forget_reason: "jido:forgetReason",
  access_count: "jido:accessCount",
  last_accessed: "jido:lastAccessed",
  tags: "jido:tag",
  metadata: "jido:memoryMetadata",
  class: "rdf:type",
};

function toPredicate(path: string): string {
  const [field = ""] = path.split(".");
  return FIELD_PREDICATES[field] ?? path.replace(/^properties\./, "jido:");
}
