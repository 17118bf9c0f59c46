// `npm run kernels`: compiles the WebAssembly that is committed beside its source, and records the digests of both.
import { writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { compileKernels, digestsPath, readKernelDigests } from "./lib/compile-kernels.ts";

for (const { path, code } of await compileKernels()) {
  await writeFile(path, code);
  console.log(`${relative(process.cwd(), path)}: ${code.length} bytes`);
}
await writeFile(digestsPath, `${JSON.stringify(await readKernelDigests(), null, 2)}\n`);
