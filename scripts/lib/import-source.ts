// Imports a module of src into Node. It is bundled first: its imports have no file extensions, and some are WebAssembly.
import { readFile } from "node:fs/promises";
import { build, type Plugin } from "esbuild";
import { root } from "./repository.ts";

/** Loads a .wasm import as a compiled module, as workerd does. */
export const compiledWasm: Plugin = {
  name: "compiled-wasm",
  setup({ onLoad }) {
    onLoad({ filter: /\.wasm$/ }, async ({ path }) => {
      const bytes = await readFile(path, "base64");
      return { contents: `export default new WebAssembly.Module(Buffer.from("${bytes}", "base64"));` };
    });
  },
};

/** Replaces the modules of workerd, which Node does not have. What they export is only used while a Worker serves. */
const workerdModules: Plugin = {
  name: "workerd-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: "workerd" }));
    onLoad({ filter: /.*/, namespace: "workerd" }, () => ({ contents: "export class WorkerEntrypoint {}" }));
  },
};

/** `path` is relative to the repository's root; `Module` is `typeof import(…)` of the same path. */
export async function importSource<Module>(path: string): Promise<Module> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [path],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    // CommonJS packages require Node's own modules, which a data URL has no `require` for.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire("file:///");' },
    plugins: [compiledWasm, workerdModules],
    logLevel: "silent",
  });
  const [code] = outputFiles;
  if (code === undefined) throw new Error(`${path} gave no bundle`);
  return import(`data:text/javascript;base64,${Buffer.from(code.contents).toString("base64")}`);
}
