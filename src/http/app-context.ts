// Types that all HTTP handlers share: the app, its request context and the authenticated caller.
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { RequestIdVariables } from "hono/request-id";
import type { TimingVariables } from "hono/timing";
import type { Binding } from "../kernel/access";
import type { BookmarkTracker } from "../kernel/databases/bookmark-tracker";
import type { Bindings, Settings } from "../kernel/env";
import type { Telemetry } from "../kernel/telemetry";
import type { TenantOntology } from "../ontology/tenant-ontology";
import type { KeyScope } from "../trust/keys/administration-schemas";
import type { KeyCheck } from "../trust/keys/key-check";
import type { MaskCollector } from "../trust/privacy/privacy-gate";
import type { PrivacyRules } from "../trust/privacy/privacy-policy";
import type { TenantUsage } from "../trust/quotas";

/** An authenticated caller. The holder of ADMIN_KEY has no tenant. */
export type Caller = {
  tenant: string | null;
  keyId: string;
  /** When the key ends; null if it does not. */
  expiresAt: string | null;
  scopes: readonly KeyScope[];
  binding: Binding;
  /** Whether any agent of the tenant has capabilities, which its calls are compared with. */
  hasCapabilities: boolean;
  /** What the tenant stored when the call was authenticated. */
  usage: TenantUsage;
  /** The privacy policies of the tenant. */
  privacy: PrivacyRules;
  /** The ontology, with the tenant's extensions. */
  ontology: TenantOntology;
  /** Compares a remembered key with the database; null for one that was read for this call. */
  check: KeyCheck | null;
};

export type AppEnv = {
  Bindings: Bindings;
  Variables: RequestIdVariables &
    TimingVariables & {
      settings: Settings;
      telemetry: Telemetry;
      masked: MaskCollector;
      /** Null until the route knows its caller's tenant, and for calls without one. */
      bookmarks: BookmarkTracker | null;
    };
};

export type App = OpenAPIHono<AppEnv>;
export type AppContext = Context<AppEnv>;
