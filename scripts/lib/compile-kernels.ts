// Compiles the AssemblyScript of src, `name.as.ts`, into the `name.wasm` beside it. The result is committed together with
// the digests of both, so that builds and tests need no compiler: a test compares the digests.
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { loadOnDemand } from "./load-on-demand.ts";
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

/** The file with the digests of the sources and of their WebAssembly, by the name of the kernel. */
export const digestsPath = join(root, "scripts/kernels.json");

export type KernelDigests = Record<string, { source: string; code: string }>;

/** `path` is where the WebAssembly belongs. */
export interface Kernel {
  path: string;
  code: Buffer;
}

/** The part of AssemblyScript's compiler that is used. */
type Compiler = {
  default: { main(options: string[]): Promise<{ error: Error | null; stderr: { toString(): string } }> };
};

export async function compileKernels(): Promise<Kernel[]> {
  const { default: asc } = await loadOnDemand<Compiler>("assemblyscript");
  const sources = await listSources();
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

/** Returns the digests of the kernels as they are in the tree. */
export async function readKernelDigests(): Promise<KernelDigests> {
  const digest = async (path: string) =>
    createHash("sha256")
      .update(await readFile(join(folder, path)))
      .digest("hex");
  const sources = await listSources();
  return Object.fromEntries(
    await Promise.all(
      sources.map(async (source) => {
        const name = source.slice(0, -SOURCE.length);
        return [
          basename(name),
          { source: await digest(source), code: await digest(`${name}.wasm`) },
        ] as const;
      }),
    ),
  );
}

async function listSources(): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  return files.filter((name) => name.endsWith(SOURCE)).sort();
}
