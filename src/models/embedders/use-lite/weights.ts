// Reads the model file that scripts/lib/model.mjs makes: a header that names the tensors, then their bytes.

import type { Vocabulary } from "./sentencepiece-tokenizer";

type Tensor = { offset: number; length: number };

export type Weights = {
  /** The tensors' bytes, as they go into the kernel's memory. */
  data: Uint8Array;
  /** Where in `data` the tensor begins, and how many elements it has. */
  tensor(name: string): Tensor;
};

/** As in the file: the bytes of the tensors begin at a multiple of it. */
const ALIGNMENT = 16;

export function readWeights(file: ArrayBuffer): Weights {
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

/** The vocabulary, read in place from a buffer that begins with the weights' data. */
export function readVocabulary({ tensor }: Weights, buffer: ArrayBuffer): Vocabulary {
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
