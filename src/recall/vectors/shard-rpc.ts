// The RPC interface of a shard of the embedded index. Vectors are sent quantised, a quarter of the bytes of floats.
// Failures are values, because an error loses its class over RPC.
import type { VectorFilter, VectorMatch, VectorRecord } from "./vector-index";

type ShardRecord = Omit<VectorRecord, "vector" | "isShared">;

export type ShardBatch = {
  dimensions: number;
  records: ShardRecord[];
  /** The quantised vectors of the records, concatenated, and the scale of each. */
  rows: Int8Array;
  scales: Float32Array;
};

export type ShardQuery = { dimensions: number; query: Int16Array; limit: number; filter: VectorFilter };

type DimensionMismatch = { status: "wrong_dimensions"; dimensions: number };

/** `full` is permanent: the shard takes no new ids, and a next shard exists. */
export type ShardResult<T> = ({ status: "ok"; full: boolean } & T) | DimensionMismatch;

export type ShardRpc = {
  /** Returns the positions in the batch of the records that did not fit. */
  upsert(batch: ShardBatch, capacity: number): Promise<ShardResult<{ refused: number[] }>>;
  /** Returns the positions in the list of the ids that the shard holds. */
  known(ids: string[], dimensions: number): Promise<ShardResult<{ places: number[] }>>;
  query(query: ShardQuery): Promise<ShardResult<{ matches: VectorMatch[] }>>;
  remove(ids: string[]): Promise<ShardResult<{ removed: number }>>;
  wipe(): Promise<void>;
};
