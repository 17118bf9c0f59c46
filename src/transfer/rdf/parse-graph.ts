// Parses the text of an import as RDF/JS quads. Malformed text is a 400 that says where.
// The parts of n3 without its streams, which a Worker cannot load.

import type { Quad, Quad_Graph, Quad_Object, Quad_Predicate, Quad_Subject, Term } from "n3";
import DataFactory from "n3/src/N3DataFactory.js";
import Parser from "n3/src/N3Parser.js";
import { FailureError, failure } from "../../kernel/errors";
import { parseJsonText } from "../../kernel/validate-input";
import { TRANSFER_TYPES } from "../transfer-request";
import type { GraphFormat } from "./graph-writer";
import { DocumentLimits, JsonLdError } from "./json-ld-context";
import { parseJsonLd } from "./parse-json-ld";

/** Throws a failure if the text is malformed, too large, or has what RDF 1.1 does not. */
export function parseGraph(text: string, format: GraphFormat): Quad[] {
  const limits = new DocumentLimits();
  const quads = format === "jsonld" ? readJsonLd(text, limits) : readN3(text, format, limits);
  for (const { subject, predicate, object, graph } of quads)
    for (const term of [subject, predicate, object, graph]) requireTerm(term);
  return quads;
}

/** What n3 adds to its errors. */
type SyntaxContext = { line?: number; token?: { start?: number } };

function readN3(text: string, format: Exclude<GraphFormat, "jsonld">, limits: DocumentLimits): Quad[] {
  try {
    const factory = createLimitedFactory(limits);
    // Blank nodes keep their labels, by which errors name them.
    return new Parser({ format: TRANSFER_TYPES[format], blankNodePrefix: "", factory }).parse(text);
  } catch (error) {
    if (!(error instanceof Error) || error instanceof FailureError) throw error;
    const { line, token } = (error as { context?: SyntaxContext }).context ?? {};
    const message = error.message.replace(/ on line \d+\.$/, "");
    throw describeSyntaxError(message, line, token?.start === undefined ? undefined : token.start + 1);
  }
}

/** Counts terms and triples as the parser makes them, because it returns only when the whole text is parsed. */
function createLimitedFactory(limits: DocumentLimits): typeof DataFactory {
  return {
    ...DataFactory,
    namedNode: (iri: string) => {
      limits.countIri(iri);
      return DataFactory.namedNode(iri);
    },
    quad: (subject: Quad_Subject, predicate: Quad_Predicate, object: Quad_Object, graph?: Quad_Graph) => {
      limits.countQuad();
      return DataFactory.quad(subject, predicate, object, graph);
    },
  } as typeof DataFactory;
}

function readJsonLd(text: string, limits: DocumentLimits): Quad[] {
  try {
    return parseJsonLd(parseJsonText(text, "document"), limits);
  } catch (error) {
    if (error instanceof JsonLdError) {
      const { path, message } = error;
      throw failure("invalid_request", `${path}: ${message}`, { errors: [{ path, message }] });
    }
    const position = findJsonError(text);
    throw position === null ? error : describeSyntaxError("not valid JSON", position.line, position.column);
  }
}

/** Returns where a text is not JSON, if the engine says so. */
function findJsonError(text: string): { line: number; column: number } | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const at = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    if (at === undefined) return null;
    const lines = text.slice(0, Number(at)).split("\n");
    return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
  }
}

function describeSyntaxError(
  message: string,
  line: number | undefined,
  column: number | undefined,
): FailureError {
  const place = [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(column === undefined ? [] : [`column ${column}`]),
  ].join(", ");
  const text = place === "" ? message : `${place}: ${message}`;
  return failure("invalid_request", `data: ${text}`, {
    errors: [{ path: "data", message: text }],
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  });
}

/** An absolute IRI without the characters that none may have (RFC 3987). */
const IRI = /^[a-z][a-z0-9+.-]*:[^\p{Cc}\s<>"{}|\\^`]*$/iu;

function requireTerm(term: Term): void {
  if (term.termType === "NamedNode" && !IRI.test(term.value))
    throw failure(
      "invalid_request",
      `data: <${term.value}> is not an absolute IRI. Encode spaces, quotes and brackets, and give relative ones a base.`,
      { errors: [{ path: "data", message: `is not an absolute IRI: <${term.value}>` }] },
    );
  if (term.termType === "Literal" && !IRI.test(term.datatype.value))
    throw failure("invalid_request", `data: the datatype <${term.datatype.value}> is not an absolute IRI.`);
  // The types of n3 are those of RDF 1.1.
  if ((term.termType as string) === "Quad")
    throw failure("invalid_request", "data: triples as terms are not stored. State them as triples.");
}
