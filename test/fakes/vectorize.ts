// An in-memory fake of the Vectorize binding: eventually consistent, with its limits and its error format. The limits are
// from Cloudflare's documentation and reported errors, the format from the binding's source in workerd. Only the code
// 40007 is known from reports; the others are placeholders, as 4xxxx.

type Mutation = { mutationId: string; at: number; apply: (vectors: Map<string, VectorizeVector>) => void };
type Value = string | number | boolean;
type Metadata = VectorizeVector["metadata"];

export type FakeVectorizeOptions = {
  dimensions: number;
  /** The metadata indexes. A filter on any other field matches nothing. */
  indexed?: readonly string[];
  now?: () => number;
};

const KIOKU_INDEXES = ["kind", "session", "agent", "project", "type", "live", "timestamp"];

const MAX = {
  bytes: 64,
  batch: 1_000,
  topK: 100,
  topKWithData: 20,
  getIds: 20,
  deleteIds: 100,
  filterBytes: 2_048,
  metadataBytes: 10 * 1_024,
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class FakeVectorize implements Vectorize {
  readonly #dimensions: number;
  readonly #indexed: ReadonlySet<string>;
  readonly #now: () => number;
  readonly #vectors = new Map<string, VectorizeVector>();
  #waiting: Mutation[] = [];
  #last: Mutation | null = null;
  #failures: Error[] = [];
  /** The names of all calls, in order. */
  readonly calls: string[] = [];

  constructor({ dimensions, indexed = KIOKU_INDEXES, now = Date.now }: FakeVectorizeOptions) {
    this.#dimensions = dimensions;
    this.#indexed = new Set(indexed);
    this.#now = now;
  }

  /** Makes the first `count` pending mutations visible, all by default. */
  settle(count = this.#waiting.length): void {
    for (const mutation of this.#waiting.splice(0, count)) {
      mutation.apply(this.#vectors);
      this.#last = mutation;
    }
  }

  /** Makes the next `count` calls fail with this error. */
  failNext(count: number, error: Error): void {
    this.#failures.push(...Array.from({ length: count }, () => error));
  }

  async describe(): Promise<VectorizeIndexInfo> {
    this.#begin("describe");
    // Typed as numbers; the service returns a UUID and an ISO date.
    return {
      vectorCount: this.#vectors.size,
      dimensions: this.#dimensions,
      processedUpToMutation: this.#last?.mutationId ?? null,
      processedUpToDatetime: this.#last === null ? null : new Date(this.#last.at).toISOString(),
    } as unknown as VectorizeIndexInfo;
  }

  async query(
    vector: VectorFloatArray | number[],
    options: VectorizeQueryOptions = {},
  ): Promise<VectorizeMatches> {
    this.#begin("query");
    const { topK = 5, namespace, returnValues = false, returnMetadata = "none", filter } = options;
    const withData = returnValues || returnMetadata === "all" || returnMetadata === true;
    const most = withData ? MAX.topKWithData : MAX.topK;
    if (!Number.isInteger(topK) || topK < 1 || topK > most)
      throw createRejection("VECTOR_QUERY", 40025, `max top K is ${most}, got ${topK}`);
    if (vector.length !== this.#dimensions)
      throw createRejection(
        "VECTOR_QUERY",
        40006,
        `expected ${this.#dimensions} dimensions, got ${vector.length}`,
      );
    if (namespace !== undefined) this.#checkBytes("VECTOR_QUERY", "namespace", namespace);
    const passes = filter === undefined ? () => true : this.#compile(filter);

    const matches = [...this.#vectors.values()]
      .filter((each) => namespace === undefined || each.namespace === namespace)
      .filter((each) => passes(each.metadata))
      .map(({ id, values, metadata, namespace: home }) => ({
        id,
        score: cosine(vector, values),
        ...(home !== undefined && { namespace: home }),
        ...(returnValues && { values }),
        ...(returnMetadata !== "none" &&
          returnMetadata !== false &&
          metadata !== undefined && {
            metadata: returnMetadata === "indexed" ? this.#kept(metadata) : metadata,
          }),
      }))
      .sort((a, b) => b.score - a.score)
      .slice(0, topK);
    return { matches, count: matches.length };
  }

  async queryById(vectorId: string, options?: VectorizeQueryOptions): Promise<VectorizeMatches> {
    const vector = this.#vectors.get(vectorId);
    if (vector === undefined) throw createRejection("VECTOR_QUERY", 40024, "vector not found");
    return this.query(vector.values, options);
  }

  async insert(vectors: VectorizeVector[]): Promise<VectorizeAsyncMutation> {
    this.#begin("insert");
    const copies = this.#checked("VECTOR_INSERT", vectors);
    return this.#mutate((stored) => {
      for (const vector of copies) if (!stored.has(vector.id)) stored.set(vector.id, vector);
    });
  }

  async upsert(vectors: VectorizeVector[]): Promise<VectorizeAsyncMutation> {
    this.#begin("upsert");
    const copies = this.#checked("VECTOR_UPSERT", vectors);
    return this.#mutate((stored) => {
      for (const vector of copies) stored.set(vector.id, vector);
    });
  }

  async deleteByIds(ids: string[]): Promise<VectorizeAsyncMutation> {
    this.#begin("deleteByIds");
    this.#checkIds("VECTOR_DELETE", ids, MAX.deleteIds);
    return this.#mutate((stored) => {
      for (const id of ids) stored.delete(id);
    });
  }

  async getByIds(ids: string[]): Promise<VectorizeVector[]> {
    this.#begin("getByIds");
    this.#checkIds("VECTOR_GET", ids, MAX.getIds);
    return [...new Set(ids)].flatMap((id) => structuredClone(this.#vectors.get(id)) ?? []);
  }

  #begin(call: string): void {
    this.calls.push(call);
    const failure = this.#failures.shift();
    if (failure !== undefined) throw failure;
  }

  #mutate(apply: Mutation["apply"]): VectorizeAsyncMutation {
    const mutation = { mutationId: crypto.randomUUID(), at: this.#now(), apply };
    this.#waiting.push(mutation);
    return { mutationId: mutation.mutationId };
  }

  #checkIds(operation: string, ids: readonly string[], most: number): void {
    if (ids.length > most)
      throw createRejection(
        operation,
        40007,
        `too many ids in payload; max id count is ${most}, got ${ids.length}`,
      );
    for (const id of ids) this.#checkBytes(operation, "id", id);
  }

  #checkBytes(operation: string, what: string, text: string): void {
    const { length } = encoder.encode(text);
    if (length === 0 || length > MAX.bytes)
      throw createRejection(operation, 40008, `${what} must have 1 to ${MAX.bytes} bytes, got ${length}`);
  }

  #checked(operation: string, vectors: readonly VectorizeVector[]): VectorizeVector[] {
    if (vectors.length === 0 || vectors.length > MAX.batch)
      throw createRejection(operation, 40021, `1 to ${MAX.batch} vectors in a batch, got ${vectors.length}`);
    return vectors.map(({ id, values, namespace, metadata }) => {
      this.#checkBytes(operation, "id", id);
      if (namespace !== undefined) this.#checkBytes(operation, "namespace", namespace);
      if (values.length !== this.#dimensions)
        throw createRejection(
          operation,
          40012,
          `expected ${this.#dimensions} dimensions, got ${values.length}`,
        );
      if (encoder.encode(JSON.stringify(metadata ?? {})).length > MAX.metadataBytes)
        throw createRejection(operation, 40010, "metadata is larger than 10 KiB");
      for (const key of Object.keys(metadata ?? {}))
        if (key === "" || /[."]/.test(key) || key.startsWith("$"))
          throw createRejection(operation, 40011, "invalid metadata key");
      // As Vectorize returns it: values as 32-bit floats, the rest as JSON.
      return {
        id,
        values: Float32Array.from(values),
        ...(namespace !== undefined && { namespace }),
        ...(metadata !== undefined && { metadata: JSON.parse(JSON.stringify(metadata)) }),
      };
    });
  }

  #kept(metadata: NonNullable<Metadata>): NonNullable<Metadata> {
    return Object.fromEntries(Object.entries(metadata).filter(([key]) => this.#indexed.has(key)));
  }

  #compile(filter: VectorizeVectorMetadataFilter): (metadata: Metadata) => boolean {
    const fields = Object.entries(filter);
    if (fields.length === 0) throw createRejection("VECTOR_QUERY", 40022, "filter must not be empty");
    if (encoder.encode(JSON.stringify(filter)).length >= MAX.filterBytes)
      throw createRejection("VECTOR_QUERY", 40022, `filter must be less than ${MAX.filterBytes} bytes`);
    const tests = fields.map(([field, condition]) => {
      if (field === "" || field.includes('"') || field.startsWith("$") || field.length > 512)
        throw createRejection("VECTOR_QUERY", 40022, "invalid filter key");
      const test = compileCondition(condition);
      return (metadata: Metadata) =>
        this.#indexed.has(field) && test(indexedValue((metadata?.[field] ?? null) as Value | null));
    });
    return (metadata) => tests.every((test) => test(metadata));
  }
}

type Condition = VectorizeVectorMetadataFilter[string];

const RANGES: Record<string, (value: Value, bound: Value) => boolean> = {
  $lt: (value, bound) => value < bound,
  $lte: (value, bound) => value <= bound,
  $gt: (value, bound) => value > bound,
  $gte: (value, bound) => value >= bound,
};

function compileCondition(condition: Condition): (value: Value | null) => boolean {
  if (condition === null || typeof condition !== "object") return compileCondition({ $eq: condition });
  const operators = Object.entries(condition);
  const names = operators.map(([name]) => name);
  const count = (prefix: string) => names.filter((name) => name in RANGES && name.startsWith(prefix)).length;
  const isRange = count("$l") === 1 && count("$g") === 1;
  if (names.length === 0 || (names.length > 1 && !(names.length === 2 && isRange)))
    throw createRejection("VECTOR_QUERY", 40022, "these operators cannot be combined");
  const tests = operators.map(([name, operand]) => compileOperator(name, operand));
  return (value) => tests.every((test) => test(value));
}

function compileOperator(name: string, operand: unknown): (value: Value | null) => boolean {
  const range = RANGES[name];
  if (range !== undefined) {
    const bound = indexedValue(scalar(operand));
    if (bound === null || typeof bound === "boolean")
      throw createRejection("VECTOR_QUERY", 40022, "a range is of strings or numbers");
    return (value) => typeof value === typeof bound && range(value as Value, bound);
  }
  switch (name) {
    case "$eq":
      return (
        (wanted) => (value: Value | null) =>
          value === wanted
      )(indexedValue(scalar(operand)));
    case "$ne":
      return (
        (wanted) => (value: Value | null) =>
          value !== wanted
      )(indexedValue(scalar(operand)));
    case "$in":
    case "$nin": {
      if (!Array.isArray(operand) || operand.length === 0)
        throw createRejection("VECTOR_QUERY", 40022, `${name} takes a list`);
      const listed = new Set(operand.map((each) => indexedValue(scalar(each))));
      return (value) => listed.has(value) === (name === "$in");
    }
    default:
      throw createRejection("VECTOR_QUERY", 40022, "unknown operator");
  }
}

function scalar(operand: unknown): Value | null {
  if (operand === null || ["string", "number", "boolean"].includes(typeof operand))
    return operand as Value | null;
  throw createRejection("VECTOR_QUERY", 40022, "a filter compares strings, numbers, booleans or null");
}

/** Strings are indexed by their first 64 bytes, truncated between characters. */
function indexedValue(value: Value | null): Value | null {
  if (typeof value !== "string") return value;
  const bytes = encoder.encode(value);
  if (bytes.length <= MAX.bytes) return value;
  let end = MAX.bytes;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return decoder.decode(bytes.subarray(0, end));
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i += 1) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}

/** Builds an error in the binding's format. */
function createRejection(operation: string, code: number, reason: string): Error {
  return new Error(`${operation}_ERROR (code = ${code}): ${reason}`);
}

/** Builds the error that the binding throws when the service gives no explanation. */
export function statusError(operation: string, status: number): Error {
  return new Error(`${operation}_ERROR: Status + ${status}`);
}
