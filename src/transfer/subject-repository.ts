// Subjects of the graph for exports and imports, with their statements.
import { sql } from "drizzle-orm";
import type { Binding } from "../kernel/access";
import { readAll, splitIntoChunks } from "../kernel/databases/d1";
import { declareMethods } from "../kernel/declare-methods";
import type { StoreContext } from "../kernel/store-context";
import type { Triple } from "../ontology/triples";
import { readSubjectPages } from "./subject-pages";

export function createSubjectRepository(context: StoreContext) {
  const { db, tenant } = context;
  const { reads } = declareMethods(context);

  return {
    /** Returns the subjects of an owner with their statements, page by page. */
    readPages: reads((owner: Binding) => readSubjectPages(context, owner)),

    /** Returns the stored triples of subjects. */
    findTriples: reads(async (subjects: readonly string[]): Promise<Triple[]> => {
      const triples: Triple[] = [];
      for (const chunk of splitIntoChunks(subjects.map((subject) => ({ subject }))))
        triples.push(
          ...(await readAll<Triple>(
            db,
            sql`SELECT t.subject, t.predicate, t.object, t.datatype FROM json_each(${JSON.stringify(chunk)}) j
              CROSS JOIN triples t ON t.tenant = ${tenant} AND t.subject = j.value ->> '$.subject' ORDER BY j.key, t.position`,
          )),
        );
      return triples;
    }),
  };
}
