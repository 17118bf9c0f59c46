// What the bundlers make of an import of WebAssembly.
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
