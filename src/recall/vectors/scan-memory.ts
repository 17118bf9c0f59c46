// The WebAssembly memory of the scan: the query, the rows, their scales, the list of slots to scan and the scores. It
// grows with the number of rows, so that a small index stays small.
import kernel from "./scan.wasm";

type Kernel = {
  scan(
    query: number,
    rows: number,
    stride: number,
    scales: number,
    list: number,
    count: number,
    scores: number,
  ): void;
};

const PAGE_BYTES = 65_536;
const MIN_ROWS = 256;
/** Small, because a full shard uses most of the memory of an isolate. */
const GROWTH_FACTOR = 1.125;

type Layout = { rows: number; scales: number; list: number; scores: number; end: number };

export class Scanner {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly #kernel: Kernel;
  #capacity = 0;
  #layout: Layout;

  constructor(
    readonly stride: number,
    capacity: number,
  ) {
    this.#layout = this.#layoutFor(0);
    const instance = new WebAssembly.Instance(kernel, { env: { memory: this.#memory } });
    this.#kernel = instance.exports as unknown as Kernel;
    this.reserve(capacity);
  }

  get capacity(): number {
    return this.#capacity;
  }

  /** Grows the memory to hold at least this many rows. */
  reserve(rows: number): void {
    if (rows <= this.#capacity) return;
    const before = { capacity: this.#capacity, scales: this.#layout.scales };
    this.#capacity = Math.max(rows, MIN_ROWS, Math.ceil(this.#capacity * GROWTH_FACTOR));
    this.#layout = this.#layoutFor(this.#capacity);
    const missing = Math.ceil((this.#layout.end - this.#memory.buffer.byteLength) / PAGE_BYTES);
    if (missing > 0) this.#memory.grow(missing);
    new Uint8Array(this.#memory.buffer).copyWithin(
      this.#layout.scales,
      before.scales,
      before.scales + before.capacity * 4,
    );
  }

  /** Returns a view of `count` rows from `slot`, valid until the next `reserve`. */
  rows(slot: number, count: number): Int8Array {
    return new Int8Array(this.#memory.buffer, this.#layout.rows + slot * this.stride, count * this.stride);
  }

  scales(slot: number, count: number): Float32Array {
    return new Float32Array(this.#memory.buffer, this.#layout.scales + slot * 4, count);
  }

  /** Returns the list for the slots to scan. */
  list(): Uint32Array {
    return new Uint32Array(this.#memory.buffer, this.#layout.list, this.#capacity);
  }

  /** Returns the scores of the first `count` slots of the list, in order and not yet multiplied by the query's scale. */
  scan(query: Int16Array, count: number): Float32Array {
    const { rows, scales, list, scores } = this.#layout;
    new Int16Array(this.#memory.buffer, 0, query.length).set(query);
    this.#kernel.scan(0, rows, this.stride, scales, list, count, scores);
    return new Float32Array(this.#memory.buffer, scores, count);
  }

  #layoutFor(capacity: number): Layout {
    const rows = this.stride * Int16Array.BYTES_PER_ELEMENT;
    const scales = rows + capacity * this.stride;
    const list = scales + capacity * 4;
    const scores = list + capacity * 4;
    return { rows, scales, list, scores, end: scores + capacity * 4 };
  }
}
