// `kioku/langgraph`: LangGraph's store on Kioku's memory. An item is a memory, so recall finds it, too.
import {
  BaseStore,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import type { Belongs } from "./lib/belongs";
import type { Document } from "./lib/document-parts";
import { type DocumentClient, Documents } from "./lib/documents";
import { escaped } from "./lib/keys";
import { matchesFilter } from "./lib/store-filter";
import { namespacesOf } from "./lib/store-namespaces";
import { textOf } from "./lib/store-text";

export type KiokuStoreOptions = Belongs & {
  /** The fields that search reads, unless a put says otherwise; "$", the default, is the whole value. */
  fields?: string[] | undefined;
};

type Address = { namespace: string[]; key: string };
/** `index: false` is kept: the item is then found by no query. */
type Kept = { value: Item["value"]; index?: false };

const PREFIX = "store:";

export class KiokuStore extends BaseStore {
  readonly #documents: Documents<Address, Kept>;
  readonly #fields: string[];

  constructor(kioku: DocumentClient, { fields = ["$"], ...belongs }: KiokuStoreOptions) {
    super();
    this.#fields = fields;
    this.#documents = new Documents(kioku, belongs, {
      // Labels have no full stops, so two of them end the namespace.
      keyOf: ({ namespace, key }) => `${prefixOf(namespace)}.${escaped(key)}`,
      labelOf: ({ namespace, key }) => `${namespace.map(escaped).join("/")} ${escaped(key)}`,
    });
  }

  /** Reads see what was there before the batch; of several puts of one item, the last holds. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const puts = new Map<string, PutOperation>();
    const results = await Promise.all(
      operations.map(async (operation) => {
        if ("namespacePrefix" in operation) return this.#search(operation);
        if ("value" in operation) {
          puts.set(JSON.stringify([operation.namespace, operation.key]), operation);
          return undefined;
        }
        if ("key" in operation) return this.#get(operation);
        return this.#list(operation);
      }),
    );
    await Promise.all([...puts.values()].map((put) => this.#put(put)));
    return results as OperationResults<Op>;
  }

  async #get({ namespace, key }: Address): Promise<Item | null> {
    const document = await this.#documents.get({ namespace, key });
    return document === null ? null : itemOf(document);
  }

  async #put({ namespace, key, value, index }: PutOperation): Promise<void> {
    const address = { namespace, key };
    if (value === null) {
      await this.#documents.erase(address);
      return;
    }
    const kept: Kept = { value, ...(index === false && { index }) };
    await this.#documents.put(address, kept, index === false ? "" : textOf(value, index ?? this.#fields));
  }

  async #search({
    namespacePrefix,
    filter = {},
    query,
    limit = 10,
    offset = 0,
  }: SearchOperation): Promise<SearchItem[]> {
    const prefix = prefixOf(namespacePrefix);
    const [documents, scores] = await Promise.all([
      this.#documents.list(prefix),
      query ? this.#documents.scores(prefix, query) : new Map<string, number>(),
    ]);
    const found = documents
      .filter(({ value }) => matchesFilter(value.value, filter))
      .map((document) => ({ ...itemOf(document), ...scoreOf(document, scores) }));
    return found
      .toSorted((a, b) => (b.score ?? Number.NEGATIVE_INFINITY) - (a.score ?? Number.NEGATIVE_INFINITY) || 0)
      .slice(offset, offset + limit);
  }

  async #list(operation: ListNamespacesOperation): Promise<string[][]> {
    const documents = await this.#documents.list(PREFIX);
    return namespacesOf(
      documents.map(({ address }) => address.namespace),
      operation,
    );
  }
}

function prefixOf(namespace: readonly string[]): string {
  return PREFIX + namespace.map((label) => `${escaped(label)}.`).join("");
}

function itemOf({ address, value, created_at, updated_at }: Document<Address, Kept>): Item {
  return {
    ...address,
    value: value.value,
    createdAt: new Date(created_at),
    updatedAt: new Date(updated_at),
  };
}

/** The best of its parts. */
function scoreOf(
  { id, parts, value }: Document<Address, Kept>,
  scores: ReadonlyMap<string, number>,
): { score?: number } {
  const found = value.index === false ? [] : [id, ...parts].flatMap((part) => scores.get(part) ?? []);
  return found.length === 0 ? {} : { score: Math.max(...found) };
}
