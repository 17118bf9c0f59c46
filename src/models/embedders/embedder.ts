// The embedder's port: texts become vectors in which nearness is nearness in meaning.
import { PortError } from "../../platform/errors";

export type Embedder = {
  /** Names the model and everything that shapes its vectors: vectors of two names are never compared. */
  readonly name: string;
  readonly dimensions: number;
  /** How many texts a recall may embed on its own way, beside its query, without the caller noticing. */
  readonly inline: number;
  /** The cosine from which a question and a text have something to do with each other; 0 where nobody knows. */
  readonly related: number;
  /** One vector of length 1 for each text, in order. A question and what answers it may be embedded differently. */
  embed(texts: readonly string[], use: "document" | "query"): Promise<Float32Array[]>;
};

/** The embedder could not answer. */
export class EmbedderError extends PortError {
  override readonly name = "EmbedderError";
  /** False when it refused these texts, and would again. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass = true, ...options }: ErrorOptions & { mayPass?: boolean } = {}) {
    super(message, options);
    this.mayPass = mayPass;
  }
}
