// `kioku/langgraph`: a LangGraph store backed by Kioku. Each item is a memory, so recall finds it, too.
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
import type { Document } from "./lib/document-parts";
import { type DocumentClient, Documents } from "./lib/documents";
import { escapeKeyPart } from "./lib/keys";
import type { MemoryOwner } from "./lib/owner";
import { matchesFilter } from "./lib/store-filter";
import { selectNamespaces } from "./lib/store-namespaces";
import { extractText } from "./lib/store-text";

export type KiokuStoreOptions = MemoryOwner & {
  /** Fields that are indexed for search, unless a put overrides them. Default: "$", the whole value. */
  fields?: string[] | undefined;
};

type Address = { namespace: string[]; key: string };
/** `index: false` is stored, because such an item never matches a query. */
type StoredItem = { value: Item["value"]; index?: false };

const PREFIX = "store:";

export class KiokuStore extends BaseStore {
  readonly #documents: Documents<Address, StoredItem>;
  readonly #fields: string[];

  constructor(kioku: DocumentClient, { fields = ["$"], ...owner }: KiokuStoreOptions) {
    super();
    this.#fields = fields;
    this.#documents = new Documents(kioku, owner, {
      // Labels contain no full stop, so two full stops mark the end of the namespace.
      toKey: ({ namespace, key }) => `${toKeyPrefix(namespace)}.${escapeKeyPart(key)}`,
      toLabel: ({ namespace, key }) => `${namespace.map(escapeKeyPart).join("/")} ${escapeKeyPart(key)}`,
    });
  }

  /** Reads see the state before the batch; of several puts of one item, the last wins. */
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
    return document === null ? null : toItem(document);
  }

  async #put({ namespace, key, value, index }: PutOperation): Promise<void> {
    const address = { namespace, key };
    if (value === null) {
      await this.#documents.erase(address);
      return;
    }
    const item: StoredItem = { value, ...(index === false && { index }) };
    await this.#documents.put(
      address,
      item,
      index === false ? "" : extractText(value, index ?? this.#fields),
    );
  }

  async #search({
    namespacePrefix,
    filter = {},
    query,
    limit = 10,
    offset = 0,
  }: SearchOperation): Promise<SearchItem[]> {
    const prefix = toKeyPrefix(namespacePrefix);
    const [documents, scores] = await Promise.all([
      this.#documents.list(prefix),
      query ? this.#documents.findScores(prefix, query) : new Map<string, number>(),
    ]);
    const found = documents
      .filter(({ value }) => matchesFilter(value.value, filter))
      .map((document) => ({ ...toItem(document), ...findScore(document, scores) }));
    return found
      .toSorted((a, b) => (b.score ?? Number.NEGATIVE_INFINITY) - (a.score ?? Number.NEGATIVE_INFINITY) || 0)
      .slice(offset, offset + limit);
  }

  async #list(operation: ListNamespacesOperation): Promise<string[][]> {
    const documents = await this.#documents.list(PREFIX);
    return selectNamespaces(
      documents.map(({ address }) => address.namespace),
      operation,
    );
  }
}

function toKeyPrefix(namespace: readonly string[]): string {
  return PREFIX + namespace.map((label) => `${escapeKeyPart(label)}.`).join("");
}

function toItem({ address, value, created_at, updated_at }: Document<Address, StoredItem>): Item {
  return {
    ...address,
    value: value.value,
    createdAt: new Date(created_at),
    updatedAt: new Date(updated_at),
  };
}

/** Returns the highest score among the parts of a document. */
function findScore(
  { id, parts, value }: Document<Address, StoredItem>,
  scores: ReadonlyMap<string, number>,
): { score?: number } {
  const found = value.index === false ? [] : [id, ...parts].flatMap((part) => scores.get(part) ?? []);
  return found.length === 0 ? {} : { score: Math.max(...found) };
}
