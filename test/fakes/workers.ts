// Stands in for `cloudflare:workers` in unit tests, which run in plain Node: serves the built assets.
import { readFile } from "node:fs/promises";

const assets = new URL("../../dist/assets", import.meta.url);

export const env = {
  ASSETS: {
    fetch: async (url: string) => new Response(await readFile(assets.pathname + new URL(url).pathname)),
  },
};
