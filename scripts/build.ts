// `npm run build`: bundles the Worker into dist/worker.js and prints its size.
import { relative } from "node:path";
import { buildWorker, formatKib } from "./lib/build-worker.ts";
import { readMessage } from "./lib/errors.ts";
import { root } from "./lib/repository.ts";

try {
  const { path, bytes, gzipBytes } = await buildWorker();
  console.log(`${relative(root, path)}: ${formatKib(bytes)}, ${formatKib(gzipBytes)} compressed`);
} catch (error) {
  console.error(`kioku: ${readMessage(error)}`);
  process.exitCode = 1;
}
