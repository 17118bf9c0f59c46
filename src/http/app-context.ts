// Types that all HTTP handlers share: the app, its request context and the authenticated caller.
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { RequestIdVariables } from "hono/request-id";
import type { TimingVariables } from "hono/timing";
import type { Binding } from "../domain/access";
import type { MaskCollector } from "../domain/privacy/privacy-gate";
import type { PrivacyRules } from "../domain/privacy/privacy-policy";
import type { TenantUsage } from "../domain/quotas";
import type { TenantOntology } from "../ontology/extensions/tenant-ontology";
import type { Bindings, Settings } from "../platform/env";
import type { BookmarkTracker } from "../platform/replicas/bookmark-tracker";
import type { Telemetry } from "../platform/telemetry";
import type { KeyScope } from "../schemas/administration";
import type { KeyCheck } from "../store/key-check";

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
