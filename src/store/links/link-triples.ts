// A link as triples, and back. The linking triple says that it holds; a Link beside it says how strongly, since when,
// and how a contradiction was settled.

import { sha256Hex } from "../../platform/hash";
import type { ResolveInput } from "../../schemas/link";
import { expand, idOf, instance, PREFIXES } from "../triples/iri";
import { decimal, type Triple } from "../triples/memory-triples";
import { isSymmetric, type Joined, predicateOf, relationOf } from "./relations";

export type Resolution = { action: ResolveInput["action"]; reason: string | null; resolved_at: string };

/** A Link; its ends are compact IRIs. */
export type StoredLink = Joined<string> & {
  id: string;
  strength: number;
  linked_at: string;
  resolution: Resolution | null;
};

/** The first 128 bits of SHA-256, in hex; the same from either end where the relation is. */
export async function linkId(tenant: string, { from, to, relation }: Joined<string>): Promise<string> {
  const [first, second] = isSymmetric(relation) ? [from, to].toSorted() : [from, to];
  return (await sha256Hex(JSON.stringify([tenant, first, predicateOf(relation), second]))).slice(0, 32);
}

export function linkingTriple({ from, to, relation }: Joined<string>): Triple {
  return { subject: from, predicate: predicateOf(relation), object: to, datatype: "" };
}

/** The triples of the Link alone. */
export function linkTriples({
  id,
  from,
  to,
  relation,
  strength,
  linked_at,
  resolution,
}: StoredLink): Triple[] {
  const subject = instance("link", id);
  return [
    { subject, predicate: "rdf:type", object: "jido:Link", datatype: "" },
    { subject, predicate: "jido:linkFrom", object: from, datatype: "" },
    { subject, predicate: "jido:linkTo", object: to, datatype: "" },
    { subject, predicate: "jido:linkRelation", object: relationIri(relation), datatype: "xsd:anyURI" },
    { subject, predicate: "jido:linkStrength", object: decimal(strength), datatype: "xsd:decimal" },
    { subject, predicate: "jido:linkedAt", object: linked_at, datatype: "xsd:dateTime" },
    ...(resolution === null ? [] : resolutionTriples(id, resolution)),
  ];
}

/** What linkRelation says: a literal, so the IRI in full. */
export function relationIri(relation: StoredLink["relation"]): string {
  return expand(predicateOf(relation));
}

export function resolutionTriples(id: string, { action, reason, resolved_at }: Resolution): Triple[] {
  const subject = instance("link", id);
  const literal = (name: string, datatype: string, object: string): Triple => ({
    subject,
    predicate: `jido:${name}`,
    object,
    datatype: `xsd:${datatype}`,
  });
  return [
    literal("resolution", "string", action),
    ...(reason === null ? [] : [literal("resolutionReason", "string", reason)]),
    literal("resolvedAt", "dateTime", resolved_at),
  ];
}

/** The Link that a subject's triples state. Throws on another subject: the store is broken. */
export function linkOf(triples: readonly Triple[]): StoredLink {
  const objects = new Map(triples.map(({ predicate, object }) => [predicate, object]));
  const need = (name: string) => {
    const value = objects.get(`jido:${name}`);
    if (value === undefined) throw new Error(`A link has no jido:${name}`);
    return value;
  };
  const id = idOf("link", triples[0]?.subject ?? "");
  const relation = relationOf(need("linkRelation").replace(PREFIXES.jido, "jido:"));
  if (id === null || relation === undefined) throw new Error("Not the triples of a link");
  const action = objects.get("jido:resolution");
  return {
    id,
    from: need("linkFrom"),
    to: need("linkTo"),
    relation,
    strength: Number(need("linkStrength")),
    linked_at: need("linkedAt"),
    resolution:
      action === undefined
        ? null
        : {
            action: action as Resolution["action"],
            reason: objects.get("jido:resolutionReason") ?? null,
            resolved_at: need("resolvedAt"),
          },
  };
}
