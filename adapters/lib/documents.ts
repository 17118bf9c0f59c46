// Documents as memories: a JSON value of any shape under an address, replaced as a whole and found by recall.
//
// A document is one memory, or several when it is long: the head, which has the document's key, and the other parts. A
// part's content is what search reads; its detailedExplanation is a piece of the exact value. Parts are written before
// their head, and the head takes the place of the one before in one step, so a reader sees one version or the other.
// What was replaced stays in the head's history.
import { isKiokuError, KiokuError } from "../../client/errors";
import type { Kioku } from "../../client/kioku";
import type { Memory } from "../../client/schema.generated";
import { type Belongs, belonging, narrowest } from "./belongs";
import { clean, cut, exactChunks, readableChunks } from "./chunks";
import { assemble, type Document, type Found, type Head, headOf } from "./document-parts";
import { shortHash } from "./hash";
import { keysOf } from "./keys";

/** What documents need of the client. */
export type DocumentClient = Pick<Kioku, "remember" | "recall" | "forget" | "memories">;

export type DocumentKind<A> = {
  /** What tells an address from every other; its beginning is that of every key in the same place. */
  keyOf(address: A): string;
  /** How the address is shown to whoever recalls the document. */
  labelOf(address: A): string;
};

const LIMITS = {
  /** The service takes 2,000 characters of content; the label and the version need some of them. */
  content: 1_700,
  label: 200,
  /** What it takes of a property, and what the first line of a head must leave of that. */
  exact: 2_000,
  least: 500,
  /** A call each: a longer document is a file, not a memory. */
  parts: 64,
  /** Recall's own. */
  query: 1_000,
  hits: 50,
};

/** Calls under way at once. */
const WIDTH = 8;

export class Documents<A, V> {
  readonly #kioku: DocumentClient;
  readonly #belongs: Belongs;
  readonly #place: Belongs;
  readonly #kind: DocumentKind<A>;

  constructor(kioku: DocumentClient, belongs: Belongs, kind: DocumentKind<A>) {
    this.#kioku = kioku;
    this.#belongs = belonging(belongs);
    this.#place = narrowest(this.#belongs);
    this.#kind = kind;
  }

  async get(address: A): Promise<Document<A, V> | null> {
    for (let attempt = 1; ; attempt += 1) {
      const found = await this.#head(address);
      if (found === null) return null;
      const document = assemble<A, V>(found, await this.#partsOf(found));
      if (document !== null) return document;
      // Somebody has written it anew in between; the next look shows what they wrote.
      if (attempt === 3)
        throw new KiokuError(
          "gone",
          `A part of ${this.#kind.labelOf(address)} is no longer there. Delete it, and write it again.`,
        );
    }
  }

  /** All whose key begins so, in the order in which they were made. */
  async list(prefix: string): Promise<Document<A, V>[]> {
    const live = await this.#live((await keysOf(prefix)).prefix);
    const documents = await inGroups(live, async (memory) => {
      const head = headOf<A>(memory);
      if (head === null || !this.#kind.keyOf(head.address).startsWith(prefix)) return [];
      const document = assemble<A, V>({ memory, head }, live) ?? (await this.#whole(head.address));
      return document === null ? [] : [document];
    });
    return documents
      .flat()
      .toSorted((a, b) => compare(a.created_at, b.created_at) || compare(this.#key(a), this.#key(b)));
  }

  /** The document from now on. `text` is what search reads of it. */
  async put(address: A, value: V, text: string): Promise<void> {
    const [before, version] = await Promise.all([
      this.#head(address),
      shortHash(JSON.stringify([address, value, text])),
    ]);
    if (before?.head.version === version) return;
    const created_at = before === null ? undefined : (before.head.created_at ?? before.memory.timestamp);
    const headWith = (parts: number): string =>
      JSON.stringify({
        address,
        version,
        parts,
        ...(created_at !== undefined && { created_at }),
      } satisfies Head<A>);
    const label = cut(this.#kind.labelOf(address), LIMITS.label);
    const room = LIMITS.exact - headWith(LIMITS.parts).length - 1;
    if (room < LIMITS.least) throw refused("address", `${label}… is too long: shorten it`);

    const json = JSON.stringify(value);
    const first = cut(json, room);
    const exact = [first, ...exactChunks(json.slice(first.length), LIMITS.exact)];
    const readable = readableChunks(clean(text), LIMITS.content);
    const count = Math.max(exact.length, readable.length);
    if (count > LIMITS.parts)
      throw refused("value", `needs ${count} memories, at most ${LIMITS.parts} are allowed: shorten it`);

    const keys = await keysOf(this.#kind.keyOf(address));
    const write = async (index: number): Promise<string> => {
      const place = count === 1 ? version : `${version}, ${index + 1} of ${count}`;
      const piece = exact[index] ?? "";
      const detail = index === 0 ? `${headWith(count)}\n${piece}` : piece;
      const { memory_id } = await this.#kioku.remember({
        ...this.#belongs,
        // The version makes every one another memory: to the service, texts that differ in case alone say the same.
        content: `${label} (${place})\n${readable[index] ?? ""}`,
        key: index === 0 ? keys.head : keys.part(version) + index,
        ...(detail === "" ? {} : { properties: { detailedExplanation: detail } }),
      });
      return memory_id;
    };
    await inGroups(
      Array.from({ length: count - 1 }, (_, i) => i + 1),
      write,
    );
    const id = await write(0);
    await inGroups(before === null ? [] : await this.#partsOf(before), (old) =>
      this.#kioku.forget({
        ...this.#place,
        memory_id: old.id,
        replacement_id: id,
        reason: "A new version",
      }),
    );
  }

  /** Erases it with its whole history, and says whether it was there. The head goes last: the rest can be found by it. */
  async erase(address: A): Promise<boolean> {
    const found = await this.#head(address);
    if (found === null) return false;
    const { id } = found.memory;
    const { part } = await keysOf(this.#kind.keyOf(address));
    const [parts, history] = await Promise.all([this.#live(part("")), this.#kioku.memories.history(id)]);
    const others = [...parts, ...history.data].filter((memory) => memory.id !== id);
    await inGroups(others, (memory) => this.#eraseMemory(memory.id));
    await this.#eraseMemory(id);
    return true;
  }

  /** The score of each memory that has to do with the query, by its id. */
  async scores(prefix: string, query: string): Promise<Map<string, number>> {
    try {
      const { memories } = await this.#kioku.recall({
        ...this.#place,
        query: cut(clean(query), LIMITS.query),
        key_prefix: (await keysOf(prefix)).prefix,
        min_confidence: 0,
        limit: LIMITS.hits,
      });
      return new Map(memories.map(({ id, score }) => [id, score]));
    } catch (error) {
      // A session without a write is not there yet.
      if (isKiokuError(error, "not_found")) return new Map();
      throw error;
    }
  }

  #key({ address }: Document<A, V>): string {
    return this.#kind.keyOf(address);
  }

  async #head(address: A): Promise<Found<A> | null> {
    const { head: key } = await keysOf(this.#kind.keyOf(address));
    const [memory] = (await this.#kioku.memories.list({ ...this.#place, key }).page({ limit: 1 })).data;
    const head = memory === undefined ? null : headOf<A>(memory);
    return memory === undefined || head === null || !same(head.address, address) ? null : { memory, head };
  }

  async #partsOf({ head }: Found<A>): Promise<Memory[]> {
    if (head.parts === 1) return [];
    return this.#live((await keysOf(this.#kind.keyOf(head.address))).part(head.version));
  }

  /** In a list, what cannot be read any more is left out. */
  async #whole(address: A): Promise<Document<A, V> | null> {
    try {
      return await this.get(address);
    } catch (error) {
      if (isKiokuError(error, "gone")) return null;
      throw error;
    }
  }

  async #live(key_prefix: string): Promise<Memory[]> {
    const memories: Memory[] = [];
    for await (const memory of this.#kioku.memories.list({ ...this.#place, key_prefix }))
      memories.push(memory);
    return memories;
  }

  async #eraseMemory(id: string): Promise<void> {
    try {
      await this.#kioku.memories.delete(id);
    } catch (error) {
      if (!isKiokuError(error, "not_found")) throw error;
    }
  }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function refused(path: string, message: string): KiokuError {
  return new KiokuError("invalid_request", `${path}: ${message}`, { errors: [{ path, message }] });
}

async function inGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += WIDTH)
    results.push(...(await Promise.all(items.slice(at, at + WIDTH).map(work))));
  return results;
}
