// The embedded embedder behind HTTP, for bench/embed.mjs: the clock of a Worker stands still while it computes, so
// its times are taken by the caller.
import { Hono } from "hono";
import { loadFromAssets } from "../../src/embedding/use-lite/assets";
import { createUseLiteEmbedder } from "../../src/embedding/use-lite/embedder";

const app = new Hono<{ Bindings: { ASSETS: Fetcher } }>();

// One for all requests, as in the service; `POST /load` puts a fresh one in its place.
let embedder = createUseLiteEmbedder({ load: async () => new ArrayBuffer(0) });

app.get("/idle", (c) => c.text("ok"));

app.post("/load", async (c) => {
  embedder = createUseLiteEmbedder({ load: loadFromAssets(c.env.ASSETS) });
  await embedder.embed([""], "document");
  return c.text("ok");
});

app.post("/embed", async (c) => {
  const { text, times } = await c.req.json<{ text: string; times: number }>();
  await embedder.embed(Array<string>(times).fill(text), "document");
  return c.text("ok");
});

export default app;
