// The part of JSON-LD contexts that imports read: prefixes, terms with a type or a language, `@vocab`, `@base` and
// `@language`, all inline. A context that would have to be loaded is refused, and so is what would be read in part.
import { isJsonObject } from "../../../platform/json";

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

/** Returns the context with a local one, the value of `@context`, on top. */
export function extendContext(active: JsonLdContext, local: unknown, path: string): JsonLdContext {
  if (local === null) return EMPTY_CONTEXT;
  if (Array.isArray(local))
    return local.reduce<JsonLdContext>(
      (context, one, i) => extendContext(context, one, `${path}.${i}`),
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
  const define = (name: string): void => {
    const value = local[name];
    if (!Object.hasOwn(local, name) || name.startsWith("@") || value === undefined) return;
    if (defining.has(name)) {
      if (!terms.has(name)) throw new JsonLdError(`${path}.${name}`, "is defined by itself");
      return;
    }
    defining.add(name);
    terms.delete(name);
    if (value === null) return;
    const id = isJsonObject(value) ? (value["@reverse"] ?? value["@id"] ?? name) : value;
    const prefix = typeof id === "string" ? id.slice(0, Math.max(0, id.indexOf(":"))) : "";
    if (prefix !== "" && prefix !== name) define(prefix);
    const type = isJsonObject(value) ? value["@type"] : undefined;
    if (typeof type === "string" && type.includes(":")) define(type.slice(0, type.indexOf(":")));
    terms.set(name, readTerm(context, name, value, `${path}.${name}`));
  };
  for (const name of Object.keys(local)) define(name);
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
  const iri = readText(value, path);
  if (ABSOLUTE.test(iri)) return iri;
  throw new JsonLdError(path, "must be an absolute IRI");
}

/** Returns the IRI of a property, a class or a datatype; a keyword as it is. Throws if the context does not say which. */
export function expandName(context: JsonLdContext, name: string, path: string): string {
  const term = context.terms.get(name);
  if (term !== undefined) return term.iri;
  if (name.startsWith("@")) return name;
  const iri = expandCompact(context, name);
  if (iri !== null) return iri;
  if (context.vocab !== null) return context.vocab + name;
  throw new JsonLdError(path, `${name} is not in the context: define it, or write its IRI`);
}

/** Returns the IRI of a node, or its blank node as `_:label`. */
export function expandNode(context: JsonLdContext, id: string, path: string): string {
  const iri = expandCompact(context, id);
  if (iri !== null) return iri;
  if (context.base !== null) return new URL(id, context.base).href;
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
