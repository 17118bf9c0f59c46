// RDF terms: n3's implementation of RDF/JS, whose `id` tells terms apart.
import type { Literal } from "n3";
import DataFactory from "n3/src/N3DataFactory.js";
import type { RdfTerm } from "./sparql-answer";

export const { namedNode, blankNode, literal, variable, defaultGraph, quad } = DataFactory;

const XSD_NAMESPACE = "http://www.w3.org/2001/XMLSchema#";

/** The datatypes that have operators of their own. */
export const XSD = {
  namespace: XSD_NAMESPACE,
  string: `${XSD_NAMESPACE}string`,
  boolean: `${XSD_NAMESPACE}boolean`,
  integer: `${XSD_NAMESPACE}integer`,
  decimal: `${XSD_NAMESPACE}decimal`,
  float: `${XSD_NAMESPACE}float`,
  double: `${XSD_NAMESPACE}double`,
  dateTime: `${XSD_NAMESPACE}dateTime`,
  date: `${XSD_NAMESPACE}date`,
  time: `${XSD_NAMESPACE}time`,
  dayTimeDuration: `${XSD_NAMESPACE}dayTimeDuration`,
} as const;

export const RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
export const RDF_LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";

export function makeTyped(value: string, datatype: string): Literal {
  return literal(value, namedNode(datatype));
}

export function makeBoolean(value: boolean): Literal {
  return makeTyped(value ? "true" : "false", XSD.boolean);
}

export function makeInteger(value: number | bigint): Literal {
  return makeTyped(value.toString(), XSD.integer);
}

export function isLiteral(term: RdfTerm): term is Literal {
  return term.termType === "Literal";
}

/** Returns the datatype's IRI of a literal; null for other terms. */
export function getDatatype(term: RdfTerm): string | null {
  return isLiteral(term) ? term.datatypeString : null;
}

/** Returns whether a term is an `xsd:string`. */
export function isSimple(term: RdfTerm): term is Literal {
  return getDatatype(term) === XSD.string;
}

/** Returns whether a term is a string, with or without a language. */
export function isStringLiteral(term: RdfTerm): term is Literal {
  const datatype = getDatatype(term);
  return datatype === XSD.string || datatype === RDF_LANG_STRING;
}
