// The file of `@modelcontextprotocol/server-memory` into a knowledge graph: read as it comes, sent in batches in the
// file's order. What is there already is not added again, so an import that stopped is simply repeated.
import { type BadLine, type Batches, batches, CHARS, ITEMS } from "./batches";
import type { Kioku } from "./kioku";
import type { GraphEntity, GraphRelation } from "./schema.generated";

export type { BadLine };

export type GraphCounts = { added: number; known: number };
export type GraphImport = {
  /** Lines read, blank ones too. */
  lines: number;
  entities: GraphCounts;
  relations: GraphCounts;
  /** Observations that entities gained which were there before. */
  observations: number;
  /** What was left out, by its number from 1. */
  bad: BadLine[];
};

export type GraphImportOptions = {
  /** Whose graph: a project's or an agent's, the tenant's own without either. */
  project_id?: string | undefined;
  agent_id?: string | undefined;
  /** Called after every batch, with what has been done so far. */
  onProgress?: ((soFar: GraphImport) => void) | undefined;
};

type Addition = { entityName: string; contents: string[] };

export async function importGraph(
  kioku: Pick<Kioku, "request">,
  lines: AsyncIterable<string> | Iterable<string>,
  { project_id, agent_id, onProgress }: GraphImportOptions = {},
): Promise<GraphImport> {
  const whose = { project_id, agent_id };
  const done: GraphImport = {
    lines: 0,
    entities: { added: 0, known: 0 },
    relations: { added: 0, known: 0 },
    observations: 0,
    bad: [],
  };
  /** Entities of this file: a name that comes again is the same entity, with more to say. */
  const seen = new Set<string>();

  const entities = batches<GraphEntity>(itemsOf, async (batch) => {
    const { entities: created } = await kioku.request("POST", "/v1/graph/create_entities", {
      body: { ...whose, entities: batch },
    });
    const made = new Set(created.map(({ name }) => name));
    done.entities.added += made.size;
    done.entities.known += batch.length - made.size;
    const known = batch.filter(({ name }) => !made.has(name));
    await add(known.map(({ name, observations }) => ({ entityName: name, contents: observations })));
  });
  const additions = batches<Addition>(itemsOf, add);
  const relations = batches<GraphRelation>(
    () => 1,
    async (batch) => {
      const body = { ...whose, relations: batch };
      const { relations: made } = await kioku.request("POST", "/v1/graph/create_relations", { body });
      done.relations.added += made.length;
      done.relations.known += batch.length - made.length;
    },
  );

  async function add(observations: Addition[]): Promise<void> {
    if (observations.every(({ contents }) => contents.length === 0)) return;
    const body = { ...whose, observations };
    const { results } = await kioku.request("POST", "/v1/graph/add_observations", { body });
    done.observations += results.reduce((sum, { addedObservations }) => sum + addedObservations.length, 0);
  }

  /** Sends what one more would make too much, or everything. */
  async function flush<T>(queue: Batches<T>, next?: T): Promise<void> {
    if (!queue.isFull(next)) return;
    done.bad.push(...(await queue.send()));
    onProgress?.({ ...done, bad: [...done.bad] });
  }

  async function take<T>(queue: Batches<T>, line: number, value: T): Promise<void> {
    await flush(queue, value);
    queue.push({ line, value });
  }

  async function takeEntity(line: number, { name, entityType, observations }: GraphEntity): Promise<void> {
    const [first = [], ...more] = seen.has(name) ? [[], ...pieces(observations)] : pieces(observations);
    if (!seen.has(name)) await take(entities, line, { name, entityType, observations: first });
    seen.add(name);
    if (more.length === 0) return;
    // It must be there before more is said of it.
    await flush(entities);
    for (const contents of more) await take(additions, line, { entityName: name, contents });
    await flush(additions);
  }

  for await (const text of lines) {
    done.lines += 1;
    if (text.trim() === "") continue;
    const read = readLine(text);
    if ("entity" in read) await takeEntity(done.lines, read.entity);
    else if ("relation" in read) await take(relations, done.lines, read.relation);
    else done.bad.push({ line: done.lines, message: read.bad });
  }
  await flush(entities);
  await flush(relations);
  done.bad.sort((a, b) => a.line - b.line);
  onProgress?.({ ...done, bad: [...done.bad] });
  return done;
}

/** What an entity or an addition brings along, with itself. */
function itemsOf({ observations = [], contents = [] }: Partial<GraphEntity & Addition>): number {
  return 1 + observations.length + contents.length;
}

/** Observations in pieces that fit a call each; none is one empty piece. */
function pieces(observations: readonly string[]): string[][] {
  const all: string[][] = [];
  let chars = 0;
  for (const text of observations) {
    const last = all.at(-1);
    if (last === undefined || last.length + 1 >= ITEMS || chars + text.length > CHARS / 2) {
      all.push([text]);
      chars = text.length;
    } else {
      last.push(text);
      chars += text.length;
    }
  }
  return all.length === 0 ? [[]] : all;
}

type Read = { entity: GraphEntity } | { relation: GraphRelation } | { bad: string };

function readLine(text: string): Read {
  const value = parse(text);
  if (value === null) return { bad: "is not a JSON object" };
  const { type, name, entityType, observations, from, to, relationType } = value;
  if (type === "entity") {
    if (typeof name !== "string") return { bad: "name: must be a text" };
    if (typeof entityType !== "string") return { bad: "entityType: must be a text" };
    if (!Array.isArray(observations) || !observations.every((one) => typeof one === "string"))
      return { bad: "observations: must be a list of texts" };
    return { entity: { name, entityType, observations } };
  }
  if (type === "relation") {
    if (typeof from !== "string") return { bad: "from: must be a text" };
    if (typeof to !== "string") return { bad: "to: must be a text" };
    if (typeof relationType !== "string") return { bad: "relationType: must be a text" };
    return { relation: { from, to, relationType } };
  }
  return { bad: 'type: must be "entity" or "relation"' };
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
