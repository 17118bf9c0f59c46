// Lets the embedded embedder of a runtime embed each text once. Tests repeat their texts, and embedding is a tenth of their
// processor time.
import { env } from "cloudflare:workers";
import { getSharedUseLiteEmbedder } from "../src/models/use-lite/use-lite-embedder";

/** Texts of 2 KB each. */
const MAX_TEXTS = 10_000;

const embedder = getSharedUseLiteEmbedder(env.ASSETS);
// Files share a runtime and its embedder, and this file runs before each of them.
if (embedder.embed.name !== "embedOnce") {
  const { embed } = embedder;
  const vectors = new Map<string, Float32Array>();
  embedder.embed = async function embedOnce(texts, use) {
    if (vectors.size > MAX_TEXTS) vectors.clear();
    const missing = [...new Set(texts)].filter((text) => !vectors.has(`${use} ${text}`));
    const made = missing.length === 0 ? [] : await embed(missing, use);
    for (const [at, vector] of made.entries()) vectors.set(`${use} ${missing[at]}`, vector);
    return texts.map((text) => (vectors.get(`${use} ${text}`) ?? new Float32Array()).slice());
  };
}
