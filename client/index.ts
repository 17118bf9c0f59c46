// `kioku/client`: the service from TypeScript, in Node 20 or newer, in browsers and in Workers.
import type { Operations } from "./schema.generated";

export { type FieldError, isKiokuError, KiokuError, type KiokuErrorCode, type Result } from "./errors";
export { type GraphImport, type GraphImportOptions, importGraph } from "./import-graph";
export { Kioku } from "./kioku";
export { List, type Page, type PagePlace } from "./list";
export type { RequestOptions } from "./request";
export type * from "./schema.generated";
export type { SessionHandle } from "./session";
export { type BindingOptions, DEFAULT_URL, type KiokuBinding, type KiokuOptions } from "./settings";
export type { StreamOptions } from "./signals";
export type { ExecuteTools, ToolResultFor } from "./tools";
export type { CallOptions } from "./transport";

export type RememberInput = Operations["POST /v1/remember"]["input"];
export type RecallInput = Operations["POST /v1/recall"]["input"];
export type ForgetInput = Operations["POST /v1/forget"]["input"];
