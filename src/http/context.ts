// What every handler is given: the caller, its stores, its request's id and timings.
import type { Context } from "hono";
import type { Bindings, Settings } from "../platform/env";
import type { Telemetry } from "../platform/telemetry";
import type { Timing } from "./server-timing";

export const KEY_SCOPES = ["read", "write", "admin"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** Who calls. The holder of ADMIN_KEY has no tenant. */
export type Caller = { tenant: string | null; keyId: string; scopes: readonly KeyScope[] };

export type AppEnv = {
  Bindings: Bindings;
  Variables: { requestId: string; timing: Timing; settings: Settings; telemetry: Telemetry };
};

export type AppContext = Context<AppEnv>;
