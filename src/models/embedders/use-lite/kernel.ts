// The face of kernel.wasm, which is compiled from kernel.as.ts. Every argument but a count is an address.

export type Kernel = {
  embed(
    ids: number,
    rows: number,
    width: number,
    values: number,
    scales: number,
    positions: number,
    out: number,
  ): void;
  layerNorm(x: number, rows: number, width: number, gain: number, bias: number, out: number): void;
  pack(x: number, rows: number, width: number, packed: number, scales: number): void;
  linear(
    packed: number,
    rowScales: number,
    rows: number,
    inputs: number,
    weights: number,
    columnScales: number,
    bias: number,
    outputs: number,
    y: number,
  ): void;
  attention(qkv: number, rows: number, width: number, weights: number, out: number): void;
  add(x: number, y: number, length: number): void;
  relu(x: number, length: number): void;
  average(x: number, rows: number, width: number, out: number): void;
};

const PAGE = 64 * 1024;

/** A kernel with a memory of at least `bytes`, all zero. */
export function instantiate(module: WebAssembly.Module, bytes: number) {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return { kernel: exports as Kernel, buffer: memory.buffer };
}
