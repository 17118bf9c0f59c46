// Imports a file of `@modelcontextprotocol/server-memory` into a knowledge graph, streamed and sent in batches in the
// file's order. Existing items are not added again, so an interrupted import can be repeated.
import { isJsonObject } from "../src/kernel/json";
import { type BadLine, type Batches, createBatches, MAX_BATCH_CHARS, MAX_BATCH_ITEMS } from "./batches";
import type { Kioku } from "./kioku";
import type { GraphEntity, GraphRelation } from "./schema.generated";

export type { BadLine };

export type GraphCounts = { added: number; known: number };
export type GraphImport = {
  /** Lines read, including blank ones. */
  lines: number;
  entities: GraphCounts;
  relations: GraphCounts;
  /** Observations added to entities that existed before. */
  observations: number;
  /** Lines that were not imported. */
  bad: BadLine[];
};

export type GraphImportOptions = {
  /** The graph's owner: a project or an agent; the tenant if neither is given. */
  project_id?: string | undefined;
  agent_id?: string | undefined;
  /** Called after every batch with the counts so far. */
  onProgress?: ((soFar: GraphImport) => void) | undefined;
};

type Addition = { entityName: string; contents: string[] };

export async function importGraph(
  kioku: Pick<Kioku, "request">,
  lines: AsyncIterable<string> | Iterable<string>,
  { project_id, agent_id, onProgress }: GraphImportOptions = {},
): Promise<GraphImport> {
  const owner = { project_id, agent_id };
  const done: GraphImport = {
    lines: 0,
    entities: { added: 0, known: 0 },
    relations: { added: 0, known: 0 },
    observations: 0,
    bad: [],
  };
  /** Entities of this file: a repeated name adds observations to the same entity. */
  const seen = new Set<string>();

  const entities = createBatches<GraphEntity>(countItems, async (batch) => {
    const { entities: created } = await kioku.request("POST", "/v1/graph/create_entities", {
      body: { ...owner, entities: batch },
    });
    const made = new Set(created.map(({ name }) => name));
    done.entities.added += made.size;
    done.entities.known += batch.length - made.size;
    const known = batch.filter(({ name }) => !made.has(name));
    await add(known.map(({ name, observations }) => ({ entityName: name, contents: observations })));
  });
  const additions = createBatches<Addition>(countItems, add);
  const relations = createBatches<GraphRelation>(
    () => 1,
    async (batch) => {
      const body = { ...owner, relations: batch };
      const { relations: made } = await kioku.request("POST", "/v1/graph/create_relations", { body });
      done.relations.added += made.length;
      done.relations.known += batch.length - made.length;
    },
  );

  async function add(observations: Addition[]): Promise<void> {
    if (observations.every(({ contents }) => contents.length === 0)) return;
    const body = { ...owner, observations };
    const { results } = await kioku.request("POST", "/v1/graph/add_observations", { body });
    done.observations += results.reduce((sum, { addedObservations }) => sum + addedObservations.length, 0);
  }

  /** Sends the batch if `next` does not fit any more; without `next`, sends everything. */
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
    const [first = [], ...more] = seen.has(name)
      ? [[], ...splitObservations(observations)]
      : splitObservations(observations);
    if (!seen.has(name)) await take(entities, line, { name, entityType, observations: first });
    seen.add(name);
    if (more.length === 0) return;
    // The entity must exist before observations are added to it.
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

/** Counts an entity or an addition and its observations. */
function countItems({ observations = [], contents = [] }: Partial<GraphEntity & Addition>): number {
  return 1 + observations.length + contents.length;
}

/** Splits observations into pieces that fit one call each; returns one empty piece for none. */
function splitObservations(observations: readonly string[]): string[][] {
  const all: string[][] = [];
  let chars = 0;
  for (const text of observations) {
    const last = all.at(-1);
    if (
      last === undefined ||
      last.length + 1 >= MAX_BATCH_ITEMS ||
      chars + text.length > MAX_BATCH_CHARS / 2
    ) {
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
  const value = parseObject(text);
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

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
