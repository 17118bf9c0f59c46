// Plans the import of Links: the strength and time of a link, and how a contradiction was resolved. The triple between the
// two stands beside it in the document.
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

/** `resolve` returns the IRI of a node; `linking` are the triples between memories and episodes, with such IRIs. */
export function planLinks(
  { tenant }: Services,
  subjects: readonly DocumentSubject[],
  {
    resolve,
    linking,
    problems,
  }: { resolve: (node: string) => string; linking: readonly Triple[]; problems: ImportProblems },
): Promise<StoredLink[]> {
  const stated = new Set(linking.map(toKey));
  return Promise.all(
    subjects.flatMap((subject) => {
      const link = readLink(subject, resolve, problems);
      if (link === null) return [];
      if (!stated.has(toKey(toLinkingTriple(link)))) {
        const { subject: from, predicate, object: to } = toLinkingTriple(link);
        problems.report(
          subject.node,
          null,
          `describes a link that is not there: state ${from} ${predicate} ${to} as well`,
        );
        return [];
      }
      return [computeLinkId(tenant, link).then((id) => ({ ...link, id }))];
    }),
  );
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
