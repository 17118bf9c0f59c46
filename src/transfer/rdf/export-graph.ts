// Streams what is remembered as RDF: the stored statements of each subject with usage, and the activities in PROV-O.
import { hash64 } from "../../kernel/hash";
import type { Triple } from "../../ontology/triples";
import type { Services } from "../../services/services";
import type { ExportTarget } from "../export-scope";
import { streamBytes } from "../line-format";
import type { GraphStatement, SubjectStatements } from "../subject-pages";
import { createGraphWriter, type GraphFormat, type WrittenSubject } from "./graph-writer";
import { toActivityTriples } from "./provenance";

/** Reads the first page before the stream begins, so that a failure is an answer of its own. */
export async function exportGraph(
  { store }: Services,
  { owner }: ExportTarget,
  format: GraphFormat,
): Promise<ReadableStream<Uint8Array>> {
  const pages = store.subjects.readPages(owner);
  const first = await pages.next();
  return streamBytes(writePages(first, pages, format));
}

async function* writePages(
  first: IteratorResult<SubjectStatements[], void>,
  pages: AsyncGenerator<SubjectStatements[]>,
  format: GraphFormat,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const writer = createGraphWriter(format);
  try {
    for (let page = first; page.done !== true; page = await pages.next())
      yield encoder.encode(writer.write(page.value.flatMap(toWrittenSubjects)));
    yield encoder.encode(writer.end());
  } finally {
    await pages.return(undefined);
  }
}

function toWrittenSubjects({ subject, statements, memory }: SubjectStatements): WrittenSubject[] {
  if (subject.startsWith("jido:link_")) return [nameLink(statements)];
  if (memory === null) return [{ subject, statements }];
  const made = toActivityTriples(memory);
  const [activity] = made.activity;
  return [
    { subject, statements: [...statements, ...made.memory.map(inDefaultGraph)] },
    ...(activity === undefined
      ? []
      : [{ subject: activity.subject, statements: made.activity.map(inDefaultGraph) }]),
  ];
}

function inDefaultGraph(triple: Triple): GraphStatement {
  return { ...triple, graph: "" };
}

/** Returns a Link as a blank node: its IRI is that of one tenant, and no statement leads to it. */
function nameLink(statements: readonly GraphStatement[]): WrittenSubject {
  const find = (name: string) => statements.find(({ predicate }) => predicate === `jido:${name}`)?.object;
  const ends = [find("linkFrom"), find("linkRelation"), find("linkTo")];
  const subject = `_:link_${hash64(JSON.stringify(ends))}`;
  return { subject, statements: statements.map((one) => ({ ...one, subject })) };
}
