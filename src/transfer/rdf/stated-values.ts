// Reads literals of a document as the store writes them: other spellings of a number or a time are the same value.

import { isCleanText } from "../../kernel/common";
import { findProperty } from "../../ontology/property-values";
import { formatDecimal, type Triple, toTripleKey } from "../../ontology/triples";

const NUMBERS: readonly string[] = [
  "xsd:decimal",
  "xsd:integer",
  "xsd:double",
  "xsd:float",
  "xsd:nonNegativeInteger",
];
const TEXTS: readonly string[] = ["xsd:string", "xsd:anyURI"];
const TIMES: readonly string[] = ["xsd:dateTime", "xsd:date"];

/** Returns a triple of the ontology's properties with its object in the stored form, or what is wrong with the object. */
export function normaliseTriple(
  triple: Triple,
): { ok: true; triple: Triple } | { ok: false; problem: string } {
  const { predicate, object, datatype } = triple;
  const property = predicate.startsWith("jido:") ? findProperty(predicate.slice("jido:".length)) : null;
  if (property === null) return { ok: true, triple };
  const { kind, range } = property;
  const refuse = (expected: string) => ({ ok: false as const, problem: `must be ${expected}` });
  if (kind === "object") return datatype === "" ? { ok: true, triple } : refuse(`the IRI of a ${range}`);
  if (!isCleanText(object)) return refuse("a text without NUL and lone surrogates");
  const accept = (value: string) => ({
    ok: true as const,
    triple: { ...triple, object: value, datatype: range },
  });
  if (TIMES.includes(range)) {
    if (!TIMES.includes(datatype) || Number.isNaN(Date.parse(object)))
      return refuse('a time, such as "2026-01-31T12:00:00Z"^^xsd:dateTime');
    return accept(new Date(object).toISOString());
  }
  if (NUMBERS.includes(range)) {
    const value = object.trim() === "" ? Number.NaN : Number(object);
    if (!NUMBERS.includes(datatype) || !Number.isFinite(value)) return refuse("a number");
    if (range !== "xsd:decimal" && !Number.isInteger(value)) return refuse("a whole number");
    return accept(formatDecimal(value));
  }
  if (TEXTS.includes(range))
    return TEXTS.includes(datatype)
      ? accept(object)
      : refuse("a text without a language or another datatype");
  return datatype === range ? { ok: true, triple } : refuse(`an ${range}`);
}

/** Returns the first statement that the stored form of a subject would not repeat; null if it repeats all. */
export function findUnstored(
  stated: readonly Triple[],
  stored: readonly Triple[],
  except: ReadonlySet<string> = new Set(),
): Triple | null {
  const key = ({ predicate, object, datatype }: Triple) => JSON.stringify([predicate, object, datatype]);
  const kept = new Set(stored.map(key));
  return stated.find((triple) => !except.has(triple.predicate) && !kept.has(key(triple))) ?? null;
}

/** The triples that the store has of subjects. */
export class StoredTriples {
  readonly #subjects = new Map<string, Triple[]>();
  readonly #keys = new Set<string>();

  add(triples: readonly Triple[]): void {
    for (const [subject, own] of Map.groupBy(triples, (triple) => triple.subject))
      this.#subjects.set(subject, own);
    for (const triple of triples) this.#keys.add(toTripleKey(triple));
  }

  has(subject: string): boolean {
    return this.#subjects.has(subject);
  }

  list(subject: string): readonly Triple[] {
    return this.#subjects.get(subject) ?? [];
  }

  states(triple: Triple): boolean {
    return this.#keys.has(toTripleKey(triple));
  }
}

/** Returns the object of a triple as a problem quotes it. */
export function describeTerm({ object, datatype }: Triple): string {
  return datatype === "" ? object : JSON.stringify(object);
}
