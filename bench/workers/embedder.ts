// Serves the embedded embedder over HTTP, for bench/embed.ts. A Worker's clock stands still while it computes, so the
// caller takes the times.
import { Hono } from "hono";
import { createModelLoader, createUseLiteEmbedder } from "../../src/models/use-lite/use-lite-embedder";

const app = new Hono<{ Bindings: { ASSETS: Fetcher } }>();

// Shared by all requests, as in the service; `POST /load` replaces it.
let embedder = createUseLiteEmbedder({ load: async () => new ArrayBuffer(0) });

app.get("/idle", (c) => c.text("ok"));

app.post("/load", async (c) => {
  embedder = createUseLiteEmbedder({ load: createModelLoader(c.env.ASSETS) });
  await embedder.embed([""], "document");
  return c.text("ok");
});

app.post("/embed", async (c) => {
  const { text, times } = await c.req.json<{ text: string; times: number }>();
  await embedder.embed(Array<string>(times).fill(text), "document");
  return c.text("ok");
});

export default app;
