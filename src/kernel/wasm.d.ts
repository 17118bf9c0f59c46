// The type of an imported WebAssembly module, as wrangler and the build bundle it.
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
