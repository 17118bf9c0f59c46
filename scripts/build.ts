// `npm run build`: bundles the Worker into dist/worker.js, and says how large it is.
import { relative } from "node:path";
import { buildWorker, root } from "./lib/worker.mjs";

try {
  const { path, bytes, gzipBytes } = await buildWorker();
  const kib = (n) => `${(n / 1024).toFixed(1)} KiB`;
  console.log(`${relative(root, path)}: ${kib(bytes)}, ${kib(gzipBytes)} compressed`);
} catch (error) {
  console.error(`kioku: ${error.message}`);
  process.exitCode = 1;
}
