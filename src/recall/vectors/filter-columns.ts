// The metadata filter of a shard: one typed array per filtered field, with scopes and types interned as integers. Rows
// are selected exactly before any vector is scanned, so that a narrow scope is cheap and its top-k are exact.
import type { VectorFilter } from "./vector-index";

export type FilterColumns = {
  timestamp: Float64Array;
  session: Uint32Array;
  user: Uint32Array;
  agent: Uint32Array;
  project: Uint32Array;
  type: Uint32Array;
  live: Uint8Array;
};

export function createColumns(capacity: number): FilterColumns {
  return {
    timestamp: new Float64Array(capacity),
    session: new Uint32Array(capacity),
    user: new Uint32Array(capacity),
    agent: new Uint32Array(capacity),
    project: new Uint32Array(capacity),
    type: new Uint32Array(capacity),
    live: new Uint8Array(capacity),
  };
}

export function growColumns(columns: FilterColumns, capacity: number): FilterColumns {
  const larger = createColumns(capacity);
  larger.timestamp.set(columns.timestamp);
  larger.session.set(columns.session);
  larger.user.set(columns.user);
  larger.agent.set(columns.agent);
  larger.project.set(columns.project);
  larger.type.set(columns.type);
  larger.live.set(columns.live);
  return larger;
}

/** Returns views of the bytes of some rows, column by column. The order is the storage format. */
export function viewColumns(
  { timestamp, session, user, agent, project, type, live }: FilterColumns,
  slot: number,
  count: number,
): Uint8Array[] {
  return [timestamp, session, user, agent, project, type, live].map((column) =>
    viewBytes(column, slot, count),
  );
}

/** Returns a view of the bytes of some elements of a typed array. */
export function viewBytes(
  array: Float64Array | Float32Array | Uint32Array | Uint8Array | Int8Array,
  start: number,
  count: number,
): Uint8Array {
  const width = array.BYTES_PER_ELEMENT;
  return new Uint8Array(array.buffer, array.byteOffset + start * width, count * width);
}

/** The number of a null scope. */
export const NO_TOKEN = 0;

/** Interns scopes and types as small integers. */
export class TokenTable {
  readonly #numbers = new Map<string, number>();
  #last = NO_TOKEN;
  #added: [number: number, token: string][] = [];

  /** One more than the largest number. */
  get size(): number {
    return this.#last + 1;
  }

  get count(): number {
    return this.#numbers.size;
  }

  load(number: number, token: string): void {
    this.#numbers.set(token, number);
    this.#last = Math.max(this.#last, number);
  }

  /** Returns undefined for a token that no row of the shard has had. */
  find(token: string): number | undefined {
    return this.#numbers.get(token);
  }

  intern(token: string | null): number {
    if (token === null) return NO_TOKEN;
    const existing = this.#numbers.get(token);
    if (existing !== undefined) return existing;
    this.#last += 1;
    this.#numbers.set(token, this.#last);
    this.#added.push([this.#last, token]);
    return this.#last;
  }

  /** Returns the tokens whose numbers are not flagged in `used`. */
  listUnusedTokens(used: Uint8Array): [token: string, number: number][] {
    return [...this.#numbers].filter(([, number]) => used[number] !== 1);
  }

  drop(tokens: readonly [token: string, number: number][]): void {
    for (const [token] of tokens) this.#numbers.delete(token);
  }

  /** Returns the tokens added since the last call. */
  takeNewTokens(): [number: number, token: string][] {
    const added = this.#added;
    this.#added = [];
    return added;
  }
}

/** Writes the slots of matching rows to `list` and returns their number. */
export function selectRows(
  filter: VectorFilter,
  columns: FilterColumns,
  tokens: TokenTable,
  count: number,
  list: Uint32Array,
): number {
  const { scope, types, live: onlyLive = false } = filter;
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = filter;
  const scoped = scope === undefined ? null : columns[scope.kind];
  const wanted = scope === undefined ? undefined : tokens.find(scope.token);
  const other = scope?.or === undefined ? undefined : tokens.find(scope.or);
  // No row has had either token.
  if (scope !== undefined && wanted === undefined && other === undefined) return 0;
  const wantedTypes = types === undefined ? null : flagTypes(types, tokens);

  let selected = 0;
  for (let slot = 0; slot < count; slot += 1) {
    if (scoped !== null && scoped[slot] !== wanted && (other === undefined || scoped[slot] !== other))
      continue;
    if (wantedTypes !== null && wantedTypes[columns.type[slot] ?? 0] !== 1) continue;
    if (onlyLive && columns.live[slot] !== 1) continue;
    const at = columns.timestamp[slot] ?? 0;
    if (at < since || at > until) continue;
    list[selected] = slot;
    selected += 1;
  }
  return selected;
}

/** Flags the number of each wanted type, so that a row needs one look-up for any number of types. */
function flagTypes(types: readonly string[], tokens: TokenTable): Uint8Array {
  const wanted = new Uint8Array(tokens.size);
  for (const type of types) {
    const number = tokens.find(type);
    if (number !== undefined) wanted[number] = 1;
  }
  return wanted;
}
