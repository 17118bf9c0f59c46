// Moves the triples of the earlier layout (`triples_v1`) to `statements`, a page at a time, while the service runs. Until
// all are moved, the view `triples` shows both tables; migrations/0026_triple_layout.sql defines it.
import { sql } from "drizzle-orm";
import { type Database, readAll, runBatch } from "../../platform/d1";
import { SECOND_MS } from "../../platform/time";
import { assertThat } from "../statements";
import { DERIVED_PREDICATES } from "./derived-triples";

/** Triples per batch: few enough to stay far below the time limit of a D1 query. */
const PAGE_SIZE = 1_000;
/** How long one sweep moves triples; the next one continues. */
const MOVE_MS = 15 * SECOND_MS;

/**
 * Moves pages of triples until all are moved or the time is over. A page is one batch, so that a triple is in one of the
 * two tables whenever the work is interrupted. Returns whether triples are left.
 */
export async function moveTriples(
  db: Database,
  { pageSize = PAGE_SIZE, maxMs = MOVE_MS }: { pageSize?: number; maxMs?: number } = {},
): Promise<boolean> {
  if (!(await hasEarlierLayout(db))) return false;
  const end = Date.now() + maxMs;
  let isLeft = true;
  do isLeft = await movePage(db, pageSize);
  while (isLeft && Date.now() < end);
  if (!isLeft) await dropEarlierLayout(db);
  return isLeft;
}

async function hasEarlierLayout(db: Database): Promise<boolean> {
  const tables = await readAll(db, sql`SELECT 1 FROM sqlite_master WHERE name = 'triples_v1'`);
  return tables.length > 0;
}

/** Returns whether triples of the earlier layout are left. */
export async function hasEarlierTriples(db: Database): Promise<boolean> {
  if (!(await hasEarlierLayout(db))) return false;
  return (await readAll(db, sql`SELECT 1 FROM triples_v1 LIMIT 1`)).length > 0;
}

async function movePage(db: Database, size: number): Promise<boolean> {
  const derived = JSON.stringify([...DERIVED_PREDICATES]);
  const isOnPage = sql`v.id <= (SELECT max(id) FROM (SELECT id FROM triples_v1 ORDER BY id LIMIT ${size}))`;
  const isMoved = sql`${isOnPage} AND v.predicate NOT IN (SELECT value FROM json_each(${derived}))`;
  const results = await runBatch(db, [
    sql`INSERT INTO predicates (iri) SELECT DISTINCT v.predicate FROM triples_v1 v
      WHERE ${isMoved} AND NOT EXISTS (SELECT 1 FROM predicates WHERE iri = v.predicate)`,
    sql`INSERT INTO statements (tenant, subject, predicate, key, datatype, literal, position)
      SELECT v.tenant, v.subject, p.number, iif(v.datatype = '', v.object, v.object_key), v.datatype,
        iif(v.datatype <> '' AND v.digest IS NOT NULL, v.object, NULL), v.id
      FROM triples_v1 v CROSS JOIN predicates p ON p.iri = v.predicate WHERE ${isMoved}
      ON CONFLICT DO NOTHING`,
    sql`DELETE FROM triples_v1 AS v WHERE ${isOnPage}`,
    sql`SELECT EXISTS (SELECT 1 FROM triples_v1) AS is_left`,
  ]);
  const [row] = (results.at(-1) ?? []) as { is_left: number }[];
  return row?.is_left === 1;
}

/** Drops the empty table of the earlier layout and makes `triples` a view of `statements` alone. */
async function dropEarlierLayout(db: Database): Promise<void> {
  await runBatch(db, [
    assertThat(sql`NOT EXISTS (SELECT 1 FROM triples_v1)`),
    sql`DROP VIEW triples`,
    sql`DROP TABLE triples_v1`,
    ...TRIPLES_VIEW.map((statement) => sql.raw(statement)),
  ]);
}

/** The view of `statements` with compact IRIs, and the triggers through which it is written. */
const TRIPLES_VIEW = [
  `CREATE VIEW triples AS
  SELECT stored.tenant, stored.subject, p.iri AS predicate, CAST(coalesce(stored.literal, stored.key) AS TEXT) AS object, stored.datatype, stored.graph,
    stored.key AS object_key, stored.predicate AS predicate_number, stored.position,
    CAST(iif(stored.literal IS NULL, NULL, stored.key) AS TEXT) AS digest
  FROM statements stored JOIN predicates p ON p.number = stored.predicate`,
  `CREATE TRIGGER triples_insert INSTEAD OF INSERT ON triples
  BEGIN
    INSERT INTO predicates (iri) SELECT NEW.predicate WHERE NOT EXISTS (SELECT 1 FROM predicates WHERE iri = NEW.predicate);
    INSERT INTO statements (tenant, subject, predicate, key, datatype, graph, literal, position)
    SELECT NEW.tenant, NEW.subject, (SELECT number FROM predicates WHERE iri = NEW.predicate),
      iif(NEW.datatype = '', NEW.object, coalesce(NEW.digest, NEW.object)), coalesce(NEW.datatype, ''), coalesce(NEW.graph, ''),
      iif(NEW.datatype <> '' AND NEW.digest IS NOT NULL, NEW.object, NULL),
      coalesce(NEW.position, (SELECT 1 + max(position) FROM statements WHERE tenant = NEW.tenant AND subject = NEW.subject), 0)
    WHERE true ON CONFLICT DO NOTHING;
  END`,
  `CREATE TRIGGER triples_delete INSTEAD OF DELETE ON triples
  BEGIN
    DELETE FROM statements WHERE tenant = OLD.tenant AND subject = OLD.subject AND predicate = OLD.predicate_number
      AND key = OLD.object_key AND datatype = OLD.datatype AND graph = OLD.graph;
  END`,
  `CREATE TRIGGER triples_update INSTEAD OF UPDATE ON triples
  BEGIN
    UPDATE statements SET key = iif(NEW.datatype = '', NEW.object, coalesce(NEW.digest, NEW.object)), datatype = NEW.datatype,
      literal = iif(NEW.datatype <> '' AND NEW.digest IS NOT NULL, NEW.object, NULL)
    WHERE tenant = OLD.tenant AND subject = OLD.subject AND predicate = OLD.predicate_number
      AND key = OLD.object_key AND datatype = OLD.datatype AND graph = OLD.graph;
  END`,
];
