// Stores documents as memories: a JSON value of any shape under an address, replaced as a whole and found by recall.
//
// A document is one memory, or several if it is long: the head, which has the document's key, and the other parts. A
// part's content is the searchable text; its detailedExplanation is a piece of the exact value. Parts are written before
// their head, and the head supersedes the previous one in one step, so a reader sees one version or the other. Replaced
// versions stay in the head's history.
import { invalidInput, isKiokuError, KiokuError } from "../../client/errors";
import type { Kioku } from "../../client/kioku";
import type { Memory } from "../../client/schema.generated";
import { replaceInvalid, splitAtSpaces, splitExactly, truncate } from "./chunks";
import { assemble, type Document, type FoundHead, type Head, parseHead } from "./document-parts";
import { computeShortHash } from "./hash";
import { createKeys } from "./keys";
import { checkOwner, type MemoryOwner, selectNarrowest } from "./owner";

/** The methods of the client that documents use. */
export type DocumentClient = Pick<Kioku, "remember" | "recall" | "forget" | "memories">;

export type DocumentKind<A> = {
  /** Returns the unique key of an address; addresses in one namespace share a prefix. */
  toKey(address: A): string;
  /** Returns the address as shown in recalled content. */
  toLabel(address: A): string;
};

const LIMITS = {
  /** The service accepts 2,000 characters of content, including the label and the version. */
  content: 1_700,
  label: 200,
  /** The service's limit of a property, and the minimum that the first line of a head must leave for the value. */
  exact: 2_000,
  least: 500,
  /** Each part is one call; a longer document should be a file. */
  parts: 64,
  /** Limits of recall. */
  query: 1_000,
  hits: 50,
};

/** Concurrent calls. */
const CONCURRENCY = 8;

export class Documents<A, V> {
  readonly #kioku: DocumentClient;
  readonly #owner: MemoryOwner;
  readonly #scope: MemoryOwner;
  readonly #kind: DocumentKind<A>;

  constructor(kioku: DocumentClient, owner: MemoryOwner, kind: DocumentKind<A>) {
    this.#kioku = kioku;
    this.#owner = checkOwner(owner);
    this.#scope = selectNarrowest(this.#owner);
    this.#kind = kind;
  }

  async get(address: A): Promise<Document<A, V> | null> {
    for (let attempt = 1; ; attempt += 1) {
      const found = await this.#findHead(address);
      if (found === null) return null;
      const document = assemble<A, V>(found, await this.#listParts(found));
      if (document !== null) return document;
      // Another writer has replaced the document in the meantime; the next attempt reads the new version.
      if (attempt === 3)
        throw new KiokuError(
          "gone",
          `A part of ${this.#kind.toLabel(address)} is no longer there. Delete it, and write it again.`,
        );
    }
  }

  /** Lists the documents with this key prefix, in the order of creation. */
  async list(prefix: string): Promise<Document<A, V>[]> {
    const live = await this.#listLive((await createKeys(prefix)).prefix);
    const documents = await mapInGroups(live, async (memory) => {
      const head = parseHead<A>(memory);
      if (head === null || !this.#kind.toKey(head.address).startsWith(prefix)) return [];
      const document = assemble<A, V>({ memory, head }, live) ?? (await this.#getIfWhole(head.address));
      return document === null ? [] : [document];
    });
    return documents
      .flat()
      .toSorted((a, b) => compare(a.created_at, b.created_at) || compare(this.#toKey(a), this.#toKey(b)));
  }

  /** Stores a document, replacing the previous version. `text` is its searchable text. */
  async put(address: A, value: V, text: string): Promise<void> {
    const [before, version] = await Promise.all([
      this.#findHead(address),
      computeShortHash(JSON.stringify([address, value, text])),
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
    const label = truncate(this.#kind.toLabel(address), LIMITS.label);
    const room = LIMITS.exact - headWith(LIMITS.parts).length - 1;
    if (room < LIMITS.least) throw invalidInput("address", `${label}… is too long: shorten it`);

    const json = JSON.stringify(value);
    const first = truncate(json, room);
    const exact = [first, ...splitExactly(json.slice(first.length), LIMITS.exact)];
    const readable = splitAtSpaces(replaceInvalid(text), LIMITS.content);
    const count = Math.max(exact.length, readable.length);
    if (count > LIMITS.parts)
      throw invalidInput("value", `needs ${count} memories, at most ${LIMITS.parts} are allowed: shorten it`);

    const keys = await createKeys(this.#kind.toKey(address));
    const write = async (index: number): Promise<string> => {
      const position = count === 1 ? version : `${version}, ${index + 1} of ${count}`;
      const piece = exact[index] ?? "";
      const detail = index === 0 ? `${headWith(count)}\n${piece}` : piece;
      const { memory_id } = await this.#kioku.remember({
        ...this.#owner,
        // The version keeps contents distinct: the service treats texts that differ only in case as one memory.
        content: `${label} (${position})\n${readable[index] ?? ""}`,
        key: index === 0 ? keys.head : keys.part(version) + index,
        ...(detail === "" ? {} : { properties: { detailedExplanation: detail } }),
      });
      return memory_id;
    };
    await mapInGroups(
      Array.from({ length: count - 1 }, (_, i) => i + 1),
      write,
    );
    const id = await write(0);
    await mapInGroups(before === null ? [] : await this.#listParts(before), (old) =>
      this.#kioku.forget({
        ...this.#scope,
        memory_id: old.id,
        replacement_id: id,
        reason: "A new version",
      }),
    );
  }

  /** Erases a document with its history; returns whether it existed. The head goes last, since it locates the rest. */
  async erase(address: A): Promise<boolean> {
    const found = await this.#findHead(address);
    if (found === null) return false;
    const { id } = found.memory;
    const { part } = await createKeys(this.#kind.toKey(address));
    const [parts, history] = await Promise.all([this.#listLive(part("")), this.#kioku.memories.history(id)]);
    const others = [...parts, ...history.data].filter((memory) => memory.id !== id);
    await mapInGroups(others, (memory) => this.#eraseMemory(memory.id));
    await this.#eraseMemory(id);
    return true;
  }

  /** Returns the scores of the memories that match the query, by id. */
  async findScores(prefix: string, query: string): Promise<Map<string, number>> {
    try {
      const { memories } = await this.#kioku.recall({
        ...this.#scope,
        query: truncate(replaceInvalid(query), LIMITS.query),
        key_prefix: (await createKeys(prefix)).prefix,
        min_confidence: 0,
        limit: LIMITS.hits,
      });
      return new Map(memories.map(({ id, score }) => [id, score]));
    } catch (error) {
      // A session does not exist before its first write.
      if (isKiokuError(error, "not_found")) return new Map();
      throw error;
    }
  }

  #toKey({ address }: Document<A, V>): string {
    return this.#kind.toKey(address);
  }

  async #findHead(address: A): Promise<FoundHead<A> | null> {
    const { head: key } = await createKeys(this.#kind.toKey(address));
    const [memory] = (await this.#kioku.memories.list({ ...this.#scope, key }).page({ limit: 1 })).data;
    const head = memory === undefined ? null : parseHead<A>(memory);
    return memory === undefined || head === null || !isSame(head.address, address) ? null : { memory, head };
  }

  async #listParts({ head }: FoundHead<A>): Promise<Memory[]> {
    if (head.parts === 1) return [];
    return this.#listLive((await createKeys(this.#kind.toKey(head.address))).part(head.version));
  }

  /** Returns the document; null if a part of it is missing. */
  async #getIfWhole(address: A): Promise<Document<A, V> | null> {
    try {
      return await this.get(address);
    } catch (error) {
      if (isKiokuError(error, "gone")) return null;
      throw error;
    }
  }

  async #listLive(key_prefix: string): Promise<Memory[]> {
    const memories: Memory[] = [];
    for await (const memory of this.#kioku.memories.list({ ...this.#scope, key_prefix }))
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

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function mapInGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += CONCURRENCY)
    results.push(...(await Promise.all(items.slice(at, at + CONCURRENCY).map(work))));
  return results;
}
