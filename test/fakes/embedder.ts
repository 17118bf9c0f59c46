// An embedder without a model: each word is a dimension, shared by its synonyms. Texts can be semantically similar
// without a common word, a text always has the same vector, and unrelated texts have a cosine similarity of 0. Tests
// can make it fail, hang or reject a text.
import { hash64 } from "../../src/kernel/hash";
import { type Embedder, EmbedderError, type RankingPreset } from "../../src/models/embedders/embedder";

const SYNONYMS = [
  ["car", "automobile", "vehicle"],
  ["dog", "hound", "puppy"],
  ["coffee", "espresso"],
  ["garden", "backyard"],
  ["doctor", "physician"],
  ["purchased", "bought"],
  ["boat", "ship", "vessel"],
];

const SYNONYM_GROUPS = new Map(SYNONYMS.flatMap((words) => words.map((word) => [word, words[0] ?? word])));

export type FakeEmbedderOptions = Partial<
  Pick<Embedder, "name" | "dimensions" | "maxInlineTexts" | "minRelatedCosine" | "preset">
>;

export class FakeEmbedder implements Embedder {
  readonly name: string;
  readonly dimensions: number;
  readonly maxInlineTexts: number;
  readonly minRelatedCosine: number;
  readonly preset: RankingPreset;
  /** Every text that was embedded, in order. */
  readonly embedded: string[] = [];
  /** Every call rejects with this error. */
  failure: Error | null = null;
  /** A call with a matching text is rejected for good. */
  poison: RegExp | null = null;
  /** A call with a matching text fails with a retryable error. */
  stumbles: RegExp | null = null;
  /** Calls never settle. */
  hangs = false;
  /** Texts that match are in a script that the model does not know. */
  unreadable: RegExp | null = null;
  /** Runs during every call. */
  meanwhile: () => Promise<void> = async () => undefined;

  constructor({
    name = "fake@1",
    dimensions = 256,
    maxInlineTexts = 50,
    minRelatedCosine = 0,
    preset = { fusion: "weighted", semantic_weight: 1 },
  }: FakeEmbedderOptions = {}) {
    this.name = name;
    this.dimensions = dimensions;
    this.maxInlineTexts = maxInlineTexts;
    this.minRelatedCosine = minRelatedCosine;
    this.preset = preset;
  }

  readonly canRead = (text: string): boolean => this.unreadable?.test(text) !== true;

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.hangs) return new Promise(() => undefined);
    await this.meanwhile();
    if (this.failure !== null) throw this.failure;
    const { poison } = this;
    if (poison !== null && texts.some((text) => poison.test(text)))
      throw new EmbedderError("A text was rejected.", { retryable: false });
    const { stumbles } = this;
    if (stumbles !== null && texts.some((text) => stumbles.test(text)))
      throw new EmbedderError("Status 500.");
    this.embedded.push(...texts);
    return texts.map((text) => this.vectorOf(text));
  }

  /** Returns the vector of a text, also while calls fail. Words of one to three letters count only as listed synonyms. */
  vectorOf(text: string): Float32Array {
    const vector = new Float32Array(this.dimensions);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      const synonym = SYNONYM_GROUPS.get(word);
      if (synonym === undefined && word.length < 4) continue;
      const direction = Number.parseInt(hash64(synonym ?? word).slice(0, 8), 16) % this.dimensions;
      vector[direction] = (vector[direction] ?? 0) + 1;
    }
    const length = Math.hypot(...vector);
    return length === 0 ? vector : vector.map((value) => value / length);
  }
}
