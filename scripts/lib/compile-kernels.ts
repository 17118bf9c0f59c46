// Compiles the AssemblyScript of src, `name.as.ts`, into the `name.wasm` beside it. The result is committed, so that a
// build needs no compiler; a test compiles again and compares.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import asc from "assemblyscript/asc";
import { root } from "./repository.ts";

const folder = join(root, "src");
const SOURCE = ".as.ts";

// A kernel allocates nothing, so it needs no runtime; the caller provides the memory and its layout.
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

/** `path` is where the WebAssembly belongs. */
export interface Kernel {
  path: string;
  code: Buffer;
}

export async function compileKernels(): Promise<Kernel[]> {
  const sources = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(SOURCE)).sort();
  const temporary = await mkdtemp(join(tmpdir(), "kioku-kernels-"));
  try {
    const kernels: Kernel[] = [];
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
