// An embedder without a model: each word is a direction, and words that mean the same share one. So texts are near by
// meaning without a word in common, the same text always has the same vector, and what has nothing in common has a
// cosine of 0. It fails, hangs or stumbles over a text when told to.
import { type Embedder, EmbedderError } from "../../src/models/embedders/embedder";
import { hash64 } from "../../src/platform/hash";

const SAME_MEANING = [
  ["car", "automobile", "vehicle"],
  ["dog", "hound", "puppy"],
  ["coffee", "espresso"],
  ["garden", "backyard"],
  ["doctor", "physician"],
  ["purchased", "bought"],
  ["boat", "ship", "vessel"],
];

const MEANINGS = new Map(SAME_MEANING.flatMap((words) => words.map((word) => [word, words[0] ?? word])));

export type FakeEmbedderOptions = Partial<Pick<Embedder, "name" | "dimensions" | "inline" | "related">>;

export class FakeEmbedder implements Embedder {
  readonly name: string;
  readonly dimensions: number;
  readonly inline: number;
  readonly related: number;
  /** Every text that was embedded, in order. */
  readonly embedded: string[] = [];
  /** Every call fails with this. */
  failure: Error | null = null;
  /** A call with such a text is refused. */
  poison: RegExp | null = null;
  /** A call with such a text fails, as if it might not the next time. */
  stumbles: RegExp | null = null;
  /** No call is ever answered. */
  hangs = false;
  /** Happens while a call is under way. */
  meanwhile: () => Promise<void> = async () => undefined;

  constructor({ name = "fake@1", dimensions = 256, inline = 50, related = 0 }: FakeEmbedderOptions = {}) {
    this.name = name;
    this.dimensions = dimensions;
    this.inline = inline;
    this.related = related;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.hangs) return new Promise(() => undefined);
    await this.meanwhile();
    if (this.failure !== null) throw this.failure;
    const { poison } = this;
    if (poison !== null && texts.some((text) => poison.test(text)))
      throw new EmbedderError("A text was refused.", { mayPass: false });
    const { stumbles } = this;
    if (stumbles !== null && texts.some((text) => stumbles.test(text)))
      throw new EmbedderError("Status 500.");
    this.embedded.push(...texts);
    return texts.map((text) => this.vectorOf(text));
  }

  /** What `embed` gives, whatever is wrong. Words of one to three letters mean nothing but for those listed above. */
  vectorOf(text: string): Float32Array {
    const vector = new Float32Array(this.dimensions);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      const meaning = MEANINGS.get(word);
      if (meaning === undefined && word.length < 4) continue;
      const direction = Number.parseInt(hash64(meaning ?? word).slice(0, 8), 16) % this.dimensions;
      vector[direction] = (vector[direction] ?? 0) + 1;
    }
    const length = Math.hypot(...vector);
    return length === 0 ? vector : vector.map((value) => value / length);
  }
}
