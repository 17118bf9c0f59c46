// The Universal Sentence Encoder "lite": two transformer layers, the mean over all positions, one dense layer.
// What is computed stands here; how, in the kernel.
import { instantiate } from "./kernel";
import { tokenize, UNKNOWN } from "./sentencepiece-tokenizer";
import { readVocabulary, readWeights } from "./weights";

export const DIMENSIONS = 512;
/** The model reads no further. */
export const MAX_TOKENS = 128;

const EMBEDDING = 256;
const HIDDEN = 1536;
/**
 * More is not cut into tokens: 128 of them, each of at most 16 characters, end far before. The rest of a long text
 * would cost time and could only count behind a long run of unknown characters.
 */
const MAX_CHARACTERS = 4_096;

export type UseLite = {
  /** At least one token, at most MAX_TOKENS. */
  tokenize(text: string): number[];
  /** A vector of length 1. */
  embed(tokens: readonly number[]): Float32Array;
};

export function createUseLite(file: ArrayBuffer, kernelModule: WebAssembly.Module): UseLite {
  const weights = readWeights(file);

  // The weights lie at the beginning of the memory, then what one text needs.
  let end = weights.data.length;
  const room = (bytes: number) => {
    const address = end;
    end += bytes;
    return address;
  };
  const matrix = (width: number) => room(MAX_TOKENS * width * Float32Array.BYTES_PER_ELEMENT);
  const ids = room(MAX_TOKENS * Int32Array.BYTES_PER_ELEMENT);
  const stream = matrix(DIMENSIONS);
  const branch = matrix(DIMENSIONS);
  const normal = matrix(DIMENSIONS);
  const wide = matrix(HIDDEN);
  const packed = room(MAX_TOKENS * HIDDEN * Int16Array.BYTES_PER_ELEMENT);
  const rowScales = matrix(1);
  const attentionWeights = matrix(1);

  const { kernel, buffer } = instantiate(kernelModule, end);
  new Uint8Array(buffer).set(weights.data);
  const vocabulary = readVocabulary(weights, buffer);

  // Each of these finds its weights when the model is made, so that a broken file fails there.
  const at = (tensor: string) => weights.tensor(tensor).offset;

  /** `y` may be `x`: it is written when all of `x` has been read. */
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

  /** From the stream to the branch. */
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

  /** From the stream to the branch. */
  const feedforward = (name: string) => {
    const norm = layerNorm(`${name}.norm`, DIMENSIONS);
    const input = linear(`${name}.input`, DIMENSIONS);
    const output = linear(`${name}.output`, HIDDEN);
    return (rows: number) => {
      norm(rows, stream, normal);
      input(rows, normal, wide);
      kernel.relu(wide, rows * HIDDEN);
      output(rows, wide, branch);
    };
  };

  const embeddings = { values: at("embeddings.values"), scales: at("embeddings.scales") };
  const positions = at("positions");
  const firstAttention = attention("0.attention", EMBEDDING);
  const firstFeedforward = feedforward("0.feedforward");
  const secondAttention = attention("1.attention", DIMENSIONS);
  const secondFeedforward = feedforward("1.feedforward");
  const widening = linear("widening", EMBEDDING);
  const output = linear("output", DIMENSIONS);
  const join = (rows: number) => kernel.add(stream, branch, rows * DIMENSIONS);

  return {
    tokenize(text) {
      const tokens = tokenize(text.slice(0, MAX_CHARACTERS), vocabulary).slice(0, MAX_TOKENS);
      // A text without tokens has a place too: that of one unknown token.
      return tokens.length > 0 ? tokens : [UNKNOWN];
    },
    embed(tokens) {
      const rows = tokens.length;
      new Int32Array(buffer, ids, rows).set(tokens);
      kernel.embed(ids, rows, EMBEDDING, embeddings.values, embeddings.scales, positions, stream);
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
      return unit(new Float32Array(buffer, branch, DIMENSIONS).map(Math.tanh));
    },
  };
}

/** The vector at length 1. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}
