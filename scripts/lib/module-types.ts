// The imports that workerd loads as separate modules, as in wrangler's default rules.

type ModuleType = "ESModule" | "CompiledWasm" | "Data";

/** By file extension. */
export const MODULE_TYPES: Readonly<Record<string, ModuleType>> = { ".wasm": "CompiledWasm", ".bin": "Data" };
