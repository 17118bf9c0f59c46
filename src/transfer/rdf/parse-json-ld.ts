// Parses JSON-LD, expanded, flattened or with an inline context, as RDF/JS quads. What it does not read it refuses: nothing
// of a document is left out, as JSON-LD would a member that the context does not define.
import type { Quad, Quad_Graph, Quad_Object, Quad_Subject } from "n3";
// The part of n3 without its streams, which a Worker cannot load.
import DataFactory from "n3/src/N3DataFactory.js";
import { isJsonObject } from "../../kernel/json";
import {
  DefinitionCounter,
  DocumentLimits,
  EMPTY_CONTEXT,
  expandName,
  expandNode,
  extendContext,
  type JsonLdContext,
  JsonLdError,
} from "./json-ld-context";

const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const XSD = "http://www.w3.org/2001/XMLSchema#";

type Member = { context: JsonLdContext; path: string };

/** Throws JsonLdError, or the failure of a limit. The depth of the value is limited where the text is parsed. */
export function parseJsonLd(document: unknown, limits = new DocumentLimits()): Quad[] {
  return new JsonLdReader(limits).read(document);
}

class JsonLdReader {
  readonly #limits: DocumentLimits;
  readonly #quads: Quad[] = [];
  readonly #definitions = new DefinitionCounter();
  #blankNodes = 0;

  constructor(limits: DocumentLimits) {
    this.#limits = limits;
  }

  read(document: unknown): Quad[] {
    const member = { context: EMPTY_CONTEXT, path: "" };
    for (const [i, node] of [document].flat().entries())
      this.#readTop(node, Array.isArray(document) ? step(member, i) : member);
    return this.#quads;
  }

  /** An object with nothing but a context and a graph is the document itself. */
  #readTop(value: unknown, member: Member): void {
    if (!isJsonObject(value)) throw new JsonLdError(member.path, "must be an object, which describes a node");
    const others = Object.keys(value).filter((key) => key !== "@context" && key !== "@graph");
    if (others.length > 0 || !("@graph" in value)) this.#readNode(value, member, DataFactory.defaultGraph());
    else this.#readGraph(value["@graph"], this.#enter(value, member), DataFactory.defaultGraph());
  }

  #readGraph(value: unknown, member: Member, graph: Quad_Graph): void {
    for (const [i, node] of [value].flat().entries()) {
      const at = step(step(member, "@graph"), i);
      if (!isJsonObject(node)) throw new JsonLdError(at.path, "must be an object, which describes a node");
      this.#readNode(node, at, graph);
    }
  }

  /** Reads the quads of a node, and returns its term. */
  #readNode(node: Record<string, unknown>, outer: Member, graph: Quad_Graph): Quad_Subject {
    const member = this.#enter(node, outer);
    const { context } = member;
    const entries = Object.entries(node).map(([key, value]) => {
      const at = step(member, key);
      return { key, value, at, name: key === "@context" ? key : expandName(context, key, at.path) };
    });
    const id = entries.find(({ name }) => name === "@id");
    const subject = id === undefined ? this.#createBlankNode() : this.#readId(id.value, id.at);
    for (const { key, value, at, name } of entries) {
      if (name === "@context" || name === "@id" || name === "@index") continue;
      if (name === "@type") this.#readTypes(subject, value, at, graph);
      else if (name === "@graph") this.#readGraph(value, member, toGraph(subject));
      else if (name === "@reverse") this.#readReverse(subject, value, at, graph);
      else if (name.startsWith("@")) throw new JsonLdError(at.path, "is not read: leave it out");
      else this.#readProperty(subject, { key, name, value, at }, graph);
    }
    return subject;
  }

  #readTypes(subject: Quad_Subject, value: unknown, { context, path }: Member, graph: Quad_Graph): void {
    for (const type of [value].flat()) {
      if (typeof type !== "string") throw new JsonLdError(path, "must be the IRI of a class");
      const iri = type.startsWith("_:") ? type : expandName(context, type, path);
      this.#add(subject, `${RDF}type`, toResource(iri), graph);
    }
  }

  #readReverse(subject: Quad_Subject, value: unknown, member: Member, graph: Quad_Graph): void {
    if (!isJsonObject(value)) throw new JsonLdError(member.path, "must be an object of properties");
    for (const [key, nodes] of Object.entries(value)) {
      const at = step(member, key);
      this.#readSubjects(subject, expandName(member.context, key, at.path), nodes, at, graph);
    }
  }

  /** Reads nodes that have the property, with `object` as its value. */
  #readSubjects(
    object: Quad_Subject,
    property: string,
    nodes: unknown,
    member: Member,
    graph: Quad_Graph,
  ): void {
    for (const node of [nodes].flat()) {
      const other = isJsonObject(node) ? this.#readNode(node, member, graph) : this.#readId(node, member);
      this.#add(other, property, object as Quad_Object, graph);
    }
  }

  #readProperty(
    subject: Quad_Subject,
    { key, name, value, at }: { key: string; name: string; value: unknown; at: Member },
    graph: Quad_Graph,
  ): void {
    const term = at.context.terms.get(key);
    if (term?.isReverse === true) {
      this.#readSubjects(subject, name, value, at, graph);
      return;
    }
    if (term?.isList === true && !(isJsonObject(value) && "@list" in value)) {
      this.#add(subject, name, this.#readList([value].flat(), key, at, graph), graph);
      return;
    }
    for (const [i, one] of [value].flat().entries()) {
      const place = Array.isArray(value) ? step(at, i) : at;
      for (const object of this.#readValues(one, key, place, graph)) this.#add(subject, name, object, graph);
    }
  }

  #readValues(value: unknown, key: string, member: Member, graph: Quad_Graph): Quad_Object[] {
    if (value === null) return [];
    if (Array.isArray(value)) throw new JsonLdError(member.path, "is a list within a list: write one list");
    if (!isJsonObject(value)) return [this.#readScalar(value, key, member)];
    if ("@value" in value) return this.#readLiteral(value, member);
    if ("@set" in value)
      return [value["@set"]].flat().flatMap((one) => this.#readValues(one, key, member, graph));
    if ("@list" in value) return [this.#readList([value["@list"]].flat(), key, member, graph)];
    return [this.#readNode(value, member, graph) as Quad_Object];
  }

  #readList(values: unknown[], key: string, member: Member, graph: Quad_Graph): Quad_Object {
    const items = values.flatMap((one) => this.#readValues(one, key, member, graph));
    let rest: Quad_Object = DataFactory.namedNode(`${RDF}nil`);
    for (const item of items.toReversed()) {
      const cell = this.#createBlankNode();
      this.#add(cell, `${RDF}first`, item, graph);
      this.#add(cell, `${RDF}rest`, rest, graph);
      rest = cell;
    }
    return rest;
  }

  /** Reads a text, a number or a boolean as the term in the context says. */
  #readScalar(value: unknown, key: string, member: Member): Quad_Object {
    const { context, path } = member;
    const { type = null, language = null } = context.terms.get(key) ?? {};
    if (typeof value === "string") {
      if (type === "@id") return this.#readId(value, member) as Quad_Object;
      if (type === "@vocab") return toResource(expandName(context, value, path));
      if (type !== null) return DataFactory.literal(value, DataFactory.namedNode(type));
      return DataFactory.literal(value, (language ?? context.language) || undefined);
    }
    return toTypedLiteral(value, type?.startsWith("@") === true ? null : type, path);
  }

  #readLiteral(value: Record<string, unknown>, member: Member): Quad_Object[] {
    const { context, path } = member;
    const other = Object.keys(value).find(
      (key) => !["@value", "@type", "@language", "@index", "@context"].includes(key),
    );
    if (other !== undefined) throw new JsonLdError(`${path}.${other}`, "does not go with @value");
    const { "@value": lexical, "@type": type, "@language": language } = value;
    if (lexical === null) return [];
    if (typeof type === "string")
      return [
        typeof lexical === "string"
          ? DataFactory.literal(lexical, DataFactory.namedNode(expandName(context, type, path)))
          : toTypedLiteral(lexical, expandName(context, type, path), path),
      ];
    if (typeof language === "string" && typeof lexical === "string")
      return [DataFactory.literal(lexical, language)];
    if (typeof lexical === "string") return [DataFactory.literal(lexical)];
    return [toTypedLiteral(lexical, null, path)];
  }

  #readId(value: unknown, { context, path }: Member): Quad_Subject {
    if (typeof value !== "string") throw new JsonLdError(path, "must be an IRI");
    return toResource(expandNode(context, value, path));
  }

  #createBlankNode() {
    this.#blankNodes += 1;
    // The labels of a document do not begin with a dot.
    return DataFactory.blankNode(`.${this.#blankNodes}`);
  }

  #add(subject: Quad_Subject, property: string, object: Quad_Object, graph: Quad_Graph): void {
    this.#limits.countQuad();
    for (const term of [subject, object])
      if (term.termType === "NamedNode") this.#limits.countIri(term.value);
    if (object.termType === "Literal") this.#limits.countIri(object.datatype.value);
    this.#limits.countIri(property);
    this.#quads.push(DataFactory.quad(subject, DataFactory.namedNode(property), object, graph));
  }

  /** Applies the local context of an object. */
  #enter(node: Record<string, unknown>, member: Member): Member {
    if (!("@context" in node)) return member;
    const { context, path } = member;
    const at = path === "" ? "@context" : `${path}.@context`;
    return { path, context: extendContext(context, node["@context"], at, this.#definitions) };
  }
}

function step({ context, path }: Member, to: string | number): Member {
  return { context, path: path === "" ? `${to}` : `${path}.${to}` };
}

function toResource(iri: string) {
  return iri.startsWith("_:") ? DataFactory.blankNode(iri.slice("_:".length)) : DataFactory.namedNode(iri);
}

function toGraph(subject: Quad_Subject): Quad_Graph {
  return subject as Quad_Graph;
}

function toTypedLiteral(value: unknown, type: string | null, path: string): Quad_Object {
  const { literal, namedNode } = DataFactory;
  if (typeof value === "boolean") return literal(String(value), namedNode(type ?? `${XSD}boolean`));
  if (typeof value !== "number") throw new JsonLdError(path, "must be a text, a number, a boolean or a node");
  if (type === `${XSD}decimal`) return literal(String(value), namedNode(type));
  const isInteger = Number.isInteger(value) && Math.abs(value) < 1e21;
  if (isInteger && type !== `${XSD}double`) return literal(String(value), namedNode(type ?? `${XSD}integer`));
  return literal(formatDouble(value), namedNode(type ?? `${XSD}double`));
}

/** Returns the canonical form of xsd:double: 9.0E-1. */
function formatDouble(value: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  return `${mantissa.includes(".") ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}
