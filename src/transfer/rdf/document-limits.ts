// Bounds what the parsers make of a document: prefixes and contexts let a small text stand for a large graph.
import { type FailureError, failure } from "../../kernel/errors";

/** More than a body of the allowed size has, unless it is made to have many. */
const MAX_QUADS = 100_000;
/** One IRI. Prefixes expand to it, so that its length is not bounded by that of the text. */
export const MAX_IRI_CHARS = 4_096;
/** All IRIs together: 160 characters for each of the most triples. */
const MAX_TOTAL_IRI_CHARS = 16 * 2 ** 20;

/** Counts the triples and IRIs of one document while it is parsed. Throws a failure at the first one too many. */
export class DocumentLimits {
  #quads = 0;
  #iriChars = 0;

  countQuad(): void {
    this.#quads += 1;
    if (this.#quads > MAX_QUADS) throw tooLarge(`has more than ${MAX_QUADS} triples`);
  }

  countIri(iri: string): void {
    if (iri.length > MAX_IRI_CHARS)
      throw failure(
        "invalid_request",
        `data: <${iri.slice(0, 100)}…> has ${iri.length} characters, an IRI has at most ${MAX_IRI_CHARS}.`,
        { errors: [{ path: "data", message: `an IRI has at most ${MAX_IRI_CHARS} characters` }] },
      );
    this.#iriChars += iri.length;
    if (this.#iriChars > MAX_TOTAL_IRI_CHARS)
      throw tooLarge(`has IRIs of more than ${MAX_TOTAL_IRI_CHARS} characters in all`);
  }
}

function tooLarge(message: string): FailureError {
  return failure("payload_too_large", `The document ${message}. Send it in parts, each with whole subjects.`);
}
