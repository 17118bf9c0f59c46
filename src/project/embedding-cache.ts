// Vectors of what a project compares: made once, kept with the project, so that a run over known episodes embeds none.

import { EXPERIENCE } from "../limits";
import { type Embedder, EmbedderError } from "../models/embedders/embedder";
import { describeDefect, failure } from "../platform/errors";
import { hash64 } from "../platform/hash";
import type { ProjectStorage } from "./project-storage";

export type Embed = (texts: readonly string[]) => Promise<Float32Array[]>;

export function createEmbed(embedder: Embedder | null, storage: ProjectStorage, now: () => number): Embed {
  return async (texts) => {
    if (embedder === null)
      throw failure(
        "not_configured",
        "Episodes are compared by meaning, and EMBEDDER is none. Set an embedder, see docs/embedders.md.",
      );
    const keyOf = (text: string) => `${embedder.name} ${textKey(text)}`;
    const known = new Map<string, Float32Array>();
    const missing = new Map<string, string>();
    for (const text of texts) {
      const key = keyOf(text);
      if (known.has(key) || missing.has(key)) continue;
      const vector = storage.vector(key);
      if (vector === null) missing.set(key, text);
      else known.set(key, vector);
    }
    const rest = [...missing];
    for (let at = 0; at < rest.length; at += EXPERIENCE.embedPage) {
      const page = rest.slice(at, at + EXPERIENCE.embedPage);
      const made = await embed(
        embedder,
        page.map(([, text]) => text),
      );
      const vectors = page.flatMap(([key], i) => {
        const vector = made[i];
        return vector === undefined ? [] : [{ key, vector }];
      });
      storage.keepVectors(vectors, now());
      for (const { key, vector } of vectors) known.set(key, vector);
    }
    return texts.map((text) => known.get(keyOf(text)) ?? new Float32Array(embedder.dimensions));
  };
}

/** What tells a text from others; its vectors are kept under it. */
export function textKey(text: string): string {
  return `${text.length} ${hash64(text)}`;
}

async function embed(embedder: Embedder, texts: readonly string[]): Promise<Float32Array[]> {
  try {
    return await embedder.embed(texts, "document");
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error;
    console.error(JSON.stringify({ event: "experience.error", ...describeDefect(error) }));
    throw failure(
      "unavailable",
      "The embedder did not answer. Nothing was changed; send the same call again.",
      { retryAfterSeconds: 5 },
    );
  }
}
