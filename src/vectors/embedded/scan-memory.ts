// The memory that the scan works in: the query, then every row, then the rows' scales, then what a scan is of and
// what it found. Grown as rows come, so that a small index is small.
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

const PAGE = 65_536;
const FIRST_ROWS = 256;
/** A shard that is filled to the brim has little memory left over. */
const GROWTH = 1.125;

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

  /** Makes room for so many rows, and some to come. */
  reserve(rows: number): void {
    if (rows <= this.#capacity) return;
    const before = { capacity: this.#capacity, scales: this.#layout.scales };
    this.#capacity = Math.max(rows, FIRST_ROWS, Math.ceil(this.#capacity * GROWTH));
    this.#layout = this.#layoutFor(this.#capacity);
    const missing = Math.ceil((this.#layout.end - this.#memory.buffer.byteLength) / PAGE);
    if (missing > 0) this.#memory.grow(missing);
    new Uint8Array(this.#memory.buffer).copyWithin(
      this.#layout.scales,
      before.scales,
      before.scales + before.capacity * 4,
    );
  }

  /** The bytes of `count` rows from `slot`. A view: gone with the next `reserve`. */
  rows(slot: number, count: number): Int8Array {
    return new Int8Array(this.#memory.buffer, this.#layout.rows + slot * this.stride, count * this.stride);
  }

  scales(slot: number, count: number): Float32Array {
    return new Float32Array(this.#memory.buffer, this.#layout.scales + slot * 4, count);
  }

  /** Where to write the slots that a scan is of. */
  list(): Uint32Array {
    return new Uint32Array(this.#memory.buffer, this.#layout.list, this.#capacity);
  }

  /** The scores of the first `count` slots of the list, in its order, but for the query's own scale. */
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
