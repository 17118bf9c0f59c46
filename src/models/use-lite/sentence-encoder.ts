// The Universal Sentence Encoder "lite": two transformer layers, the mean over all positions, one dense layer. The
// arithmetic is in kernel.wasm; this file composes it and reads the weights.
import { tokenize, UNKNOWN, type Vocabulary } from "./sentencepiece-tokenizer";

export const DIMENSIONS = 512;
/** The model's context length; further tokens are dropped. */
export const MAX_TOKENS = 128;

const TOKEN_EMBEDDING_WIDTH = 256;
const HIDDEN_WIDTH = 1536;
/**
 * Longer texts are truncated before they are tokenised: 128 tokens of at most 16 characters end far before, unless a
 * long run of unknown characters precedes them.
 */
const MAX_CHARACTERS = 4_096;

export type UseLite = {
  /** Returns at least one token and at most MAX_TOKENS. */
  tokenize(text: string): number[];
  /** Returns a unit vector. */
  embed(tokens: readonly number[]): Float32Array;
};

export function createUseLite(file: ArrayBuffer, kernelModule: WebAssembly.Module): UseLite {
  const weights = readWeights(file);

  // Memory layout: the weights, then the buffers for one text.
  let end = weights.data.length;
  const allocate = (bytes: number) => {
    const address = end;
    end += bytes;
    return address;
  };
  const matrix = (width: number) => allocate(MAX_TOKENS * width * Float32Array.BYTES_PER_ELEMENT);
  const ids = allocate(MAX_TOKENS * Int32Array.BYTES_PER_ELEMENT);
  const stream = matrix(DIMENSIONS);
  const branch = matrix(DIMENSIONS);
  const normal = matrix(DIMENSIONS);
  const wide = matrix(HIDDEN_WIDTH);
  const packed = allocate(MAX_TOKENS * HIDDEN_WIDTH * Int16Array.BYTES_PER_ELEMENT);
  const rowScales = matrix(1);
  const attentionWeights = matrix(1);

  const { kernel, buffer } = instantiateKernel(kernelModule, end);
  new Uint8Array(buffer).set(weights.data);
  const vocabulary = readVocabulary(weights, buffer);

  // The layers look their weights up here, once, so that an invalid file fails when the model is created.
  const at = (tensor: string) => weights.tensor(tensor).offset;

  /** `y` may be `x`: writing starts after all of `x` has been read. */
  const linear = (name: string, inputs: number) => {
    const { offset, length } = weights.tensor(`${name}.weights`);
    const [scales, bias] = [at(`${name}.scales`), at(`${name}.bias`)];
    return (rows: number, x: number, y: number) => {
      kernel.pack(x, rows, inputs, packed, rowScales);
      kernel.linear(packed, rowScales, rows, inputs, offset, scales, bias, length / inputs, y);
    };
  };

  const layerNorm = (name: string, width: number) => {
    const [gain, bias] = [at(`${name}.gain`), at(`${name}.bias`)];
    return (rows: number, x: number, y: number) => kernel.layerNorm(x, rows, width, gain, bias, y);
  };

  /** Reads the residual stream and writes the branch. */
  const attention = (name: string, width: number) => {
    const norm = layerNorm(`${name}.norm`, width);
    const input = linear(`${name}.input`, width);
    const output = linear(`${name}.output`, width);
    return (rows: number) => {
      norm(rows, stream, normal);
      input(rows, normal, wide);
      kernel.attention(wide, rows, width, attentionWeights, normal);
      output(rows, normal, branch);
    };
  };

  /** Reads the residual stream and writes the branch. */
  const feedforward = (name: string) => {
    const norm = layerNorm(`${name}.norm`, DIMENSIONS);
    const input = linear(`${name}.input`, DIMENSIONS);
    const output = linear(`${name}.output`, HIDDEN_WIDTH);
    return (rows: number) => {
      norm(rows, stream, normal);
      input(rows, normal, wide);
      kernel.relu(wide, rows * HIDDEN_WIDTH);
      output(rows, wide, branch);
    };
  };

  const embeddings = { values: at("embeddings.values"), scales: at("embeddings.scales") };
  const positions = at("positions");
  const firstAttention = attention("0.attention", TOKEN_EMBEDDING_WIDTH);
  const firstFeedforward = feedforward("0.feedforward");
  const secondAttention = attention("1.attention", DIMENSIONS);
  const secondFeedforward = feedforward("1.feedforward");
  const widening = linear("widening", TOKEN_EMBEDDING_WIDTH);
  const output = linear("output", DIMENSIONS);
  const join = (rows: number) => kernel.add(stream, branch, rows * DIMENSIONS);

  return {
    tokenize(text) {
      const tokens = tokenize(text.slice(0, MAX_CHARACTERS), vocabulary).slice(0, MAX_TOKENS);
      // A text without tokens gets the vector of one unknown token.
      return tokens.length > 0 ? tokens : [UNKNOWN];
    },
    embed(tokens) {
      const rows = tokens.length;
      new Int32Array(buffer, ids, rows).set(tokens);
      kernel.embed(ids, rows, TOKEN_EMBEDDING_WIDTH, embeddings.values, embeddings.scales, positions, stream);
      firstAttention(rows);
      widening(rows, stream, stream);
      join(rows);
      firstFeedforward(rows);
      join(rows);
      secondAttention(rows);
      join(rows);
      secondFeedforward(rows);
      join(rows);
      kernel.average(stream, rows, DIMENSIONS, normal);
      output(1, normal, branch);
      return toUnitLength(new Float32Array(buffer, branch, DIMENSIONS).map(Math.tanh));
    },
  };
}

/** Returns the vector scaled to length 1. */
export function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

type Tensor = { offset: number; length: number };

type ModelWeights = {
  /** The bytes of all tensors, copied as they are into the kernel's memory. */
  data: Uint8Array;
  /** Returns the tensor's offset in `data` and its number of elements. */
  tensor(name: string): Tensor;
};

/** The tensors' bytes start at a multiple of this. */
const ALIGNMENT = 16;

/** Reads the model file that scripts/lib/model.mjs writes: a header that names the tensors, then their bytes. */
export function readWeights(file: ArrayBuffer): ModelWeights {
  const headerLength = new DataView(file).getUint32(0, true);
  const header: { bytes: number; tensors: Record<string, Tensor> } = JSON.parse(
    new TextDecoder().decode(new Uint8Array(file, 4, headerLength)),
  );
  const start = Math.ceil((4 + headerLength) / ALIGNMENT) * ALIGNMENT;
  return {
    data: new Uint8Array(file, start, header.bytes),
    tensor(name) {
      const found = header.tensors[name];
      if (!found) throw new Error(`The model file has no tensor ${name}`);
      return found;
    },
  };
}

/** Returns views of the vocabulary in a buffer that starts with the weights' data. */
export function readVocabulary({ tensor }: ModelWeights, buffer: ArrayBuffer): Vocabulary {
  const shorts = (name: string) => {
    const { offset, length } = tensor(name);
    return new Uint16Array(buffer, offset, length);
  };
  const scores = tensor("vocabulary.scores");
  return {
    characters: shorts("vocabulary.characters"),
    firstChild: shorts("vocabulary.firstChild"),
    pieces: shorts("vocabulary.pieces"),
    scores: new Float64Array(buffer, scores.offset, scores.length),
  };
}

/** The exports of kernel.wasm, compiled from kernel.as.ts. Every argument except a count is an address. */
type Kernel = {
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

const PAGE_BYTES = 64 * 1024;

/** Instantiates the kernel with a zeroed memory of at least `bytes`. */
function instantiateKernel(module: WebAssembly.Module, bytes: number) {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return { kernel: exports as Kernel, buffer: memory.buffer };
}
