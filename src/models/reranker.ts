// The reranker port: a model that reads a query together with each text, and scores how well the text answers it.
import { PortError } from "../kernel/errors";

export type Reranker = {
  /** Identifies the service and the model. */
  readonly name: string;
  /** Returns one score per text from 0 to 1, in order. Rejects with a RerankerError, at the latest after its time limit. */
  rerank(query: string, texts: readonly string[]): Promise<number[]>;
};

/** The reranker failed. */
export class RerankerError extends PortError {
  override readonly name = "RerankerError";
  /** Whether it did not answer within its time limit. */
  readonly timedOut: boolean;

  constructor(message: string, { timedOut = false }: { timedOut?: boolean } = {}) {
    super(message);
    this.timedOut = timedOut;
  }
}
