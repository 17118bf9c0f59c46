// Plans the import of Links: the strength and time of a link, and how a contradiction was resolved. The triple between the
// two stands beside it in the document.
import { isBound } from "../../../domain/access";
import {
  computeLinkId,
  parseLinkTriples,
  type StoredLink,
  toLinkingTriple,
  toLinkTriples,
} from "../../../store/links/link-triples";
import type { Triple } from "../../../store/triples/triples";
import type { Services } from "../../services";
import type { DocumentSubject } from "./document-subjects";
import type { ImportProblems } from "./import-problems";
import { findUnstored, normaliseTriple } from "./stated-values";

type LinkInput = {
  /** Returns the IRI of a node. */
  resolve: (node: string) => string;
  /** The IRIs of the memories and episodes of the document, and the triples between them and others. */
  subjects: ReadonlySet<string>;
  linking: readonly Triple[];
  problems: ImportProblems;
  warnings: string[];
};

/** A Link whose triple belongs to a subject of another part of the document may come before it. */
export async function planLinks(
  { tenant, store, binding }: Services,
  subjects: readonly DocumentSubject[],
  { resolve, subjects: described, linking, problems, warnings }: LinkInput,
): Promise<StoredLink[]> {
  const links = subjects.flatMap((subject) => {
    const link = readLink(subject, resolve, problems);
    return link === null ? [] : [{ node: subject.node, link }];
  });
  const elsewhere = [...new Set(links.map(({ link }) => link.from))].filter((iri) => !described.has(iri));
  const stored =
    elsewhere.length === 0 || isBound(binding) ? [] : await store.subjects.findTriples(elsewhere);
  const stated = new Set([...linking, ...stored].map(toKey));
  for (const { node, link } of links) {
    const triple = toLinkingTriple(link);
    if (stated.has(toKey(triple))) continue;
    const message = `describes a link that is not there: state ${triple.subject} ${triple.predicate} ${triple.object} as well`;
    if (isBound(binding) || described.has(link.from)) problems.report(node, null, message);
    else warnings.push(`${node}: ${message}`);
  }
  return Promise.all(links.map(async ({ link }) => ({ ...link, id: await computeLinkId(tenant, link) })));
}

function toKey({ subject, predicate, object }: Triple): string {
  return JSON.stringify([subject, predicate, object]);
}

const ENDS: readonly string[] = ["jido:linkFrom", "jido:linkTo"];
/** Stands for the subject until the ends are known. */
const SUBJECT = "jido:link_0";

function readLink(
  { node, triples }: DocumentSubject,
  resolve: (node: string) => string,
  problems: ImportProblems,
): StoredLink | null {
  const normal: Triple[] = [];
  for (const triple of triples) {
    const result = normaliseTriple({ ...triple, subject: SUBJECT });
    if (!result.ok) problems.report(node, triple.predicate, result.problem);
    else if (ENDS.includes(triple.predicate))
      normal.push({ ...result.triple, object: resolve(triple.object) });
    else normal.push(result.triple);
  }
  if (normal.length < triples.length) return null;
  let link: StoredLink;
  try {
    link = parseLinkTriples(normal);
  } catch {
    problems.report(
      node,
      null,
      "a Link has a jido:linkFrom, a jido:linkTo, a jido:linkRelation (the IRI of a relation as xsd:anyURI), a jido:linkStrength and a jido:linkedAt",
    );
    return null;
  }
  if (!(link.strength >= 0 && link.strength <= 1))
    problems.report(node, "jido:linkStrength", "must be a number from 0 to 1");
  const unstored = findUnstored(normal, toLinkTriples(link));
  if (unstored === null) return link;
  problems.report(
    node,
    unstored.predicate,
    `${unstored.object} is not stored of a Link: correct it, or leave it out`,
  );
  return null;
}
