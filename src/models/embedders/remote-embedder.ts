// What embedders that are services have in common: calls of a bearable size, patience by use, and vectors that are
// checked before anyone compares them.
import { EMBEDDING } from "../../limits";
import { refusal } from "../transport/response-values";
import { attempt, CallFailure, type Patience } from "../transport/retry";
import { type Embedder, EmbedderError } from "./embedder";
import { batchesOf, type CallLimits, inOrder } from "./embedding-batches";

export type Use = Parameters<Embedder["embed"]>[1];

export type RemoteModel = {
  /** The embedder's name. */
  name: string;
  dimensions: number;
  limits: CallLimits;
  /** What to change when the service gives vectors of another length. */
  otherDimensions: (given: number) => string;
  /** One call: a vector for each text, in order and not yet checked. Fails with a CallFailure. */
  call: (texts: readonly string[], use: Use, signal: AbortSignal) => Promise<readonly unknown[]>;
};

/** How calls wait; the tests have less time. */
export type Waiting = {
  patience?: Readonly<Record<Use, Patience>>;
  sleep?: (ms: number) => Promise<void>;
};

export function createRemoteEmbedder(
  model: RemoteModel,
  { patience = EMBEDDING, sleep }: Waiting = {},
): Embedder {
  const { name, dimensions, limits } = model;
  return {
    name,
    dimensions,
    inline: EMBEDDING.inline,
    related: 0,
    async embed(texts, use) {
      const embedBatch = async (batch: readonly string[]) => {
        const vectors = await attempt((signal) => model.call(batch, use, signal), patience[use], sleep);
        if (vectors.length !== batch.length)
          throw refusal(`${vectors.length} vectors for ${batch.length} texts`);
        return vectors.map((vector) => toUnitVector(vector, model));
      };
      try {
        return (await inOrder(batchesOf(texts, limits), EMBEDDING.concurrency, embedBatch)).flat();
      } catch (error) {
        if (error instanceof CallFailure)
          throw new EmbedderError(`Embedder ${name} failed: ${error.message}`, error.passing);
        throw error;
      }
    },
  };
}

function toUnitVector(vector: unknown, { dimensions, otherDimensions }: RemoteModel): Float32Array {
  if (!isNumbers(vector)) throw refusal("a vector that is no list of numbers");
  if (vector.length !== dimensions)
    throw refusal(
      `vectors of ${vector.length} dimensions, not ${dimensions}: ${otherDimensions(vector.length)}`,
    );
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length)) throw refusal("a vector with a number that is not finite");
  if (length === 0) throw refusal("a vector of zeros, which has no direction");
  return Float32Array.from(vector, (value) => value / length);
}

function isNumbers(vector: unknown): vector is number[] | Float32Array {
  return (
    vector instanceof Float32Array ||
    (Array.isArray(vector) && vector.every((value) => typeof value === "number"))
  );
}
