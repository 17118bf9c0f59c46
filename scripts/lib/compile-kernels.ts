// Compiles the AssemblyScript of src, `name.as.ts`, into the `name.wasm` beside it. The result is committed: whoever
// builds the Worker needs no compiler. A test compiles again and compares.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const folder = fileURLToPath(new URL("../../src", import.meta.url));
const SOURCE = ".as.ts";

// Nothing is allocated inside, so there is no runtime; the caller brings the memory and lays it out.
const OPTIONS = [
  "-O3",
  "--converge",
  "--noAssert",
  "--enable",
  "simd",
  "--runtime",
  "stub",
  "--importMemory",
];

/** Every kernel: where its WebAssembly belongs, and the bytes that its source gives. */
export async function compileKernels() {
  const sources = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(SOURCE)).sort();
  const temporary = await mkdtemp(join(tmpdir(), "kioku-kernels-"));
  try {
    const kernels = [];
    for (const source of sources) {
      const outFile = join(temporary, "kernel.wasm");
      const { error, stderr } = await asc.main([join(folder, source), "--outFile", outFile, ...OPTIONS]);
      if (error) throw new Error(`${source} does not compile:\n${stderr}`);
      const path = join(folder, `${source.slice(0, -SOURCE.length)}.wasm`);
      kernels.push({ path, code: await readFile(outFile) });
    }
    return kernels;
  } finally {
    await rm(temporary, { recursive: true });
  }
}
