// `cloudflare:workers` for unit tests, which run in plain Node: the assets as they were built.
import { readFile } from "node:fs/promises";

const assets = new URL("../../dist/assets", import.meta.url);

export const env = {
  ASSETS: {
    fetch: async (url: string) => new Response(await readFile(assets.pathname + new URL(url).pathname)),
  },
};
