// The part of JSON-LD contexts that imports read: prefixes, terms with a type or a language, `@vocab`, `@base` and
// `@language`, all inline. A context that would have to be loaded is refused, and so is what would be read in part.
import { type FailureError, failure } from "../../kernel/errors";
import { isJsonObject } from "../../kernel/json";

/** Thrown for a document that is not read. `path` leads to the member. */
export class JsonLdError extends Error {
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

type Term = {
  iri: string;
  /** An IRI, `@id`, `@vocab`, or null. */
  type: string | null;
  /** Null without an own one; "" for none. */
  language: string | null;
  isList: boolean;
  isReverse: boolean;
};

export type JsonLdContext = {
  terms: ReadonlyMap<string, Term>;
  vocab: string | null;
  base: string | null;
  language: string;
};

export const EMPTY_CONTEXT: JsonLdContext = { terms: new Map(), vocab: null, base: null, language: "" };

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;

/** Terms of one context. */
const MAX_TERMS = 1_000;
/** Terms of all contexts of a document: a nested context copies those around it. */
const MAX_DOCUMENT_TERMS = 100_000;
/** Terms that one is defined by, each by the next. */
const MAX_PREFIX_DEPTH = 10;

/** Counts the terms of the contexts of one document. */
export class DefinitionCounter {
  #terms = 0;

  /** Throws JsonLdError if there are too many. */
  add(terms: number, path: string): void {
    this.#terms += terms;
    if (terms > MAX_TERMS) throw new JsonLdError(path, `has more than ${MAX_TERMS} terms`);
    if (this.#terms > MAX_DOCUMENT_TERMS)
      throw new JsonLdError(path, "is one of too many contexts: define the terms once, at the top");
  }
}

/** Returns the context with a local one, the value of `@context`, on top. */
export function extendContext(
  active: JsonLdContext,
  local: unknown,
  path: string,
  counter: DefinitionCounter,
): JsonLdContext {
  if (local === null) return EMPTY_CONTEXT;
  if (Array.isArray(local))
    return local.reduce<JsonLdContext>(
      (context, one, i) => extendContext(context, one, `${path}.${i}`, counter),
      active,
    );
  if (typeof local === "string")
    throw new JsonLdError(
      path,
      `is a remote context, ${local}, which is not loaded: put its definitions into the document`,
    );
  if (!isJsonObject(local)) throw new JsonLdError(path, "must be an object with the context itself");
  if ("@import" in local)
    throw new JsonLdError(
      `${path}.@import`,
      "is a remote context, which is not loaded: put its definitions into the document",
    );
  const names = Object.keys(local);
  if (names.length === 0) return active;
  counter.add(active.terms.size + names.length, path);
  const terms = new Map(active.terms);
  let context: JsonLdContext = { ...active, terms };
  for (const [name, value] of Object.entries(local)) {
    const at = `${path}.${name}`;
    if (name === "@vocab") context = { ...context, vocab: readIriOrNull(value, at) };
    else if (name === "@base") context = { ...context, base: readIriOrNull(value, at) };
    else if (name === "@language") context = { ...context, language: readText(value ?? "", at) };
    else if (name === "@version" || name === "@protected") continue;
    else if (name.startsWith("@")) throw new JsonLdError(at, "is not read in a context: leave it out");
  }
  // A term may use others of the same context, wherever they stand.
  const defining = new Set<string>();
  const define = (name: string, depth: number): void => {
    const value = local[name];
    if (!Object.hasOwn(local, name) || name.startsWith("@") || value === undefined) return;
    if (defining.has(name)) {
      if (!terms.has(name)) throw new JsonLdError(`${path}.${name}`, "is defined by itself");
      return;
    }
    if (depth > MAX_PREFIX_DEPTH)
      throw new JsonLdError(`${path}.${name}`, `is one of more than ${MAX_PREFIX_DEPTH} terms in a chain`);
    defining.add(name);
    terms.delete(name);
    if (value === null) return;
    const id = isJsonObject(value) ? (value["@reverse"] ?? value["@id"] ?? name) : value;
    const prefix = typeof id === "string" ? id.slice(0, Math.max(0, id.indexOf(":"))) : "";
    if (prefix !== "" && prefix !== name) define(prefix, depth + 1);
    const type = isJsonObject(value) ? value["@type"] : undefined;
    if (typeof type === "string" && type.includes(":")) define(type.slice(0, type.indexOf(":")), depth + 1);
    terms.set(name, readTerm(context, name, value, `${path}.${name}`));
  };
  for (const name of names) define(name, 0);
  return context;
}

const TERM_MEMBERS = ["@id", "@type", "@language", "@container", "@reverse", "@prefix", "@protected"];

function readTerm(context: JsonLdContext, name: string, value: unknown, path: string): Term {
  const definition = typeof value === "string" ? { "@id": value } : value;
  if (!isJsonObject(definition)) throw new JsonLdError(path, "must be an IRI or a definition of the term");
  const other = Object.keys(definition).find((member) => !TERM_MEMBERS.includes(member));
  if (other !== undefined) throw new JsonLdError(`${path}.${other}`, "is not read in a term: leave it out");
  const isReverse = "@reverse" in definition;
  const id = readText(definition["@reverse"] ?? definition["@id"] ?? name, path);
  const iri = id.startsWith("@") ? id : expandName(context, id, path);
  const type = definition["@type"];
  const language = definition["@language"];
  const containers = [definition["@container"] ?? []].flat();
  const unread = containers.find((one) => one !== "@list" && one !== "@set");
  if (unread !== undefined)
    throw new JsonLdError(`${path}.@container`, `${String(unread)} is not read: write the values as a list`);
  return {
    iri,
    type: type === undefined || type === null ? null : readType(context, readText(type, path), path),
    language: language === undefined ? null : readText(language ?? "", path),
    isList: containers.includes("@list"),
    isReverse,
  };
}

function readType(context: JsonLdContext, type: string, path: string): string | null {
  if (type === "@none") return null;
  return type.startsWith("@") ? type : expandName(context, type, path);
}

function readText(value: unknown, path: string): string {
  if (typeof value === "string") return value;
  throw new JsonLdError(path, "must be a text");
}

function readIriOrNull(value: unknown, path: string): string | null {
  if (value === null) return null;
  const iri = limitLength(readText(value, path), path);
  if (ABSOLUTE.test(iri)) return iri;
  throw new JsonLdError(path, "must be an absolute IRI");
}

function limitLength(iri: string, path: string): string {
  if (iri.length <= MAX_IRI_CHARS) return iri;
  throw new JsonLdError(path, `has ${iri.length} characters, an IRI has at most ${MAX_IRI_CHARS}`);
}

/** Returns the IRI of a property, a class or a datatype; a keyword as it is. Throws if the context does not say which. */
export function expandName(context: JsonLdContext, name: string, path: string): string {
  const term = context.terms.get(name);
  if (term !== undefined) return term.iri;
  if (name.startsWith("@")) return name;
  const iri = expandCompact(context, name);
  if (iri !== null) return limitLength(iri, path);
  if (context.vocab !== null) return limitLength(context.vocab + name, path);
  throw new JsonLdError(path, `${name} is not in the context: define it, or write its IRI`);
}

/** Returns the IRI of a node, or its blank node as `_:label`. */
export function expandNode(context: JsonLdContext, id: string, path: string): string {
  const iri = expandCompact(context, limitLength(id, path));
  if (iri !== null) return limitLength(iri, path);
  if (context.base !== null) {
    const url = URL.parse(id, context.base);
    if (url === null)
      throw new JsonLdError(path, `${id} cannot be resolved against the @base ${context.base}`);
    return url.href;
  }
  throw new JsonLdError(path, `${id} is a relative IRI: write it in full, or give the context a @base`);
}

/** Returns the IRI of `prefix:name`, and an absolute IRI as it is; null for anything else. */
function expandCompact({ terms }: JsonLdContext, text: string): string | null {
  const colon = text.indexOf(":");
  if (colon < 0) return null;
  const [prefix, rest] = [text.slice(0, colon), text.slice(colon + 1)];
  if (prefix === "_" || rest.startsWith("//")) return text;
  const namespace = terms.get(prefix)?.iri;
  if (namespace !== undefined) return namespace + rest;
  return ABSOLUTE.test(text) ? text : null;
}

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
