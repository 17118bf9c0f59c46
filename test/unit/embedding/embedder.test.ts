import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { EmbedderError } from "../../../src/models/embedders/embedder";
import {
  createModelLoader,
  createUseLiteEmbedder,
  getSharedUseLiteEmbedder,
} from "../../../src/models/use-lite/use-lite-embedder";
import sets from "../../data/scripts.json";
import { cosine, loadModel } from "./support";

describe("the embedded embedder", () => {
  const embedder = getSharedUseLiteEmbedder(env.ASSETS);

  it("names its model and dimensions", () => {
    expect(embedder).toMatchObject({ name: "use-lite-int8-1", dimensions: 512, maxInlineTexts: 8 });
  });

  it("is shared by the whole isolate", () => {
    expect(getSharedUseLiteEmbedder(env.ASSETS)).toBe(embedder);
  });

  it("returns one unit vector per text, in order", async () => {
    const texts = ["The cat sleeps.", "", "Invoices are due on the first.", "The cat sleeps."];
    const vectors = await embedder.embed(texts, "document");
    expect(vectors).toHaveLength(4);
    for (const vector of vectors) {
      expect(vector).toHaveLength(512);
      expect(cosine(vector, vector)).toBeCloseTo(1, 5);
    }
    const singles = await Promise.all(texts.map((text) => embedder.embed([text], "document")));
    expect(vectors).toEqual(singles.flat());
  });

  it.each([
    ["Where does Anna live?", true],
    ["", true],
    ["12:30", true],
    ["Um, thanks!", true],
    ["The PostgreSQL database 記憶 is on port 5432", true],
    ["Ursula von der Leyen visited the team", true],
    ["Le café est ouvert", true],
    ["本番のデータベースはPostgreSQLです", false],
    ["我们下个月要搬到成都", false],
    ["แมวของฉันชื่ออะไร", false],
    ["Где лежит паспорт?", false],
    ["أين جواز السفر؟", false],
    ["Πού μένει η Άννα;", false],
    ["Wo wohnt meine Schwester?", false],
    ["Das Firmenlogo ist dunkelgrün.", false],
  ])("knows whether it can read a text: %s", (text, readable) => {
    expect(embedder.canRead(text)).toBe(readable);
  });

  it.each(
    Object.entries(sets),
  )("finds questions in %s related to facts that do not answer them, so their vectors are noise", async (_language, {
    facts,
    questions,
  }) => {
    const asked = questions as [string, number][];
    const documents = await embedder.embed(facts, "document");
    const queries = await embedder.embed(
      asked.map(([question]) => question),
      "query",
    );
    const others = queries.flatMap((query, i) =>
      documents.flatMap((document, fact) => (fact === asked[i]?.[1] ? [] : [cosine(query, document)])),
    );
    const mean = others.reduce((sum, one) => sum + one, 0) / others.length;
    expect(mean).toBeGreaterThan(embedder.minRelatedCosine);
  });

  it("returns no vectors for no texts", async () => {
    expect(await embedder.embed([], "query")).toEqual([]);
  });

  it("embeds a query differently from a document", async () => {
    const [query] = await embedder.embed(["Where does Anna live?"], "query");
    const [document] = await embedder.embed(["Where does Anna live?"], "document");
    expect(query).not.toEqual(document);
  });

  it("ranks the answer to a query above other texts", async () => {
    const answers = [
      "Tom: I moved to Lisbon in March, near the river.",
      "Eva: My sister bakes the best bread in town.",
      "The build fails when the cache is cold.",
    ];
    const documents = await embedder.embed(answers, "document");
    const questions = ["In which city does Tom live?", "Who makes bread?", "What goes wrong with the cache?"];
    const asked = await embedder.embed(questions, "query");
    const best = asked.map((query) => {
      const near = documents.map((document) => cosine(query, document));
      return near.indexOf(Math.max(...near));
    });
    expect(best).toEqual([0, 1, 2]);
  });

  it("yields to other requests between the texts of a batch", async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    await embedder.embed(Array<string>(20).fill("word ".repeat(64)), "document");
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});

describe("loading the model", () => {
  it("happens once, on first use, for any number of concurrent calls", async () => {
    const load = vi.fn(loadModel);
    const embedder = createUseLiteEmbedder({ load });
    expect(load).not.toHaveBeenCalled();
    await Promise.all([embedder.embed(["a"], "query"), embedder.embed(["b"], "document")]);
    await embedder.embed(["c"], "query");
    expect(load).toHaveBeenCalledTimes(1);
  });

  it("rejects all concurrent calls without quoting their texts, and is retried by the next call", async () => {
    const load = vi.fn(loadModel).mockRejectedValueOnce(new Error("the disk is away"));
    const embedder = createUseLiteEmbedder({ load });
    const failures = await Promise.allSettled([
      embedder.embed(["a secret"], "query"),
      embedder.embed(["another"], "query"),
    ]);
    for (const failure of failures) {
      expect(failure).toMatchObject({ status: "rejected", reason: expect.any(EmbedderError) });
      expect(JSON.stringify(failure)).not.toContain("secret");
    }
    expect(load).toHaveBeenCalledTimes(1);
    expect(await embedder.embed(["now"], "query")).toHaveLength(1);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it("fails and is retried when the file is not a model", async () => {
    const load = vi.fn(loadModel).mockResolvedValueOnce(new ArrayBuffer(100));
    const embedder = createUseLiteEmbedder({ load });
    await expect(embedder.embed(["x"], "query")).rejects.toThrow(EmbedderError);
    expect(await embedder.embed(["x"], "query")).toHaveLength(1);
  });

  it("does not wait forever for a load started by a request that has ended", async () => {
    const load = vi.fn(loadModel).mockReturnValueOnce(new Promise(() => {}));
    const embedder = createUseLiteEmbedder({ load });
    const abandoned = embedder.embed(["first"], "query");
    expect(await embedder.embed(["second"], "query")).toHaveLength(1);
    expect(await abandoned).toHaveLength(1);
  });

  it("fails when the file is missing", async () => {
    const assets = { fetch: async () => new Response("not here", { status: 404 }) };
    await expect(createModelLoader(assets as unknown as Fetcher)()).rejects.toThrow("404");
  });
});
