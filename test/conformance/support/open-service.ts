// A service as a test file uses it: clients of tenants nobody else uses, so that files never see each other's data.
import { beforeAll, expect, vi } from "vitest";
import { type Client, connect, type Endpoint, fresh } from "./client";
import type { IndexState, Key } from "./contract";
import { bodyOf } from "./expectations";

export type KeyBinding = { user_id?: string; agent_id?: string; project_id?: string };
type TenantOptions = { scopes?: string[]; name?: string; bind?: KeyBinding };

export type Service = {
  /** Without a key. */
  readonly anonymous: Client;
  readonly admin: Client;
  /** The file's tenant, with the default scopes. */
  readonly api: Client;
  /** A client of a tenant nobody else uses, or of the tenant named; with `bind`, one whose key is bound to an owner. */
  tenant(options?: TenantOptions): Promise<Client>;
  /** Waits until the vector index shows everything of the file's tenant. */
  indexed(): Promise<void>;
};

async function createKey(admin: Client, { name: tenant, scopes, bind }: TenantOptions): Promise<string> {
  return bodyOf(await admin.post<Key>("/v1/keys", { tenant, scopes, bind }), 201).key ?? "";
}

export type OpenedService = Endpoint & {
  adminKey: string;
  /** Runs the indexer of a tenant, where it can be called. */
  drainIndexer?: (tenant: string) => Promise<unknown>;
};

/** Opens the service before the tests of the file, and creates the file's tenant. */
export function openService(open: () => Promise<OpenedService>): Service {
  let opened: OpenedService | undefined;
  const endpoint = (): OpenedService => {
    if (opened === undefined) throw new Error("the service is opened before the tests");
    return opened;
  };
  const anonymous = connect(endpoint, null);
  let admin = anonymous;
  let api = anonymous;
  const own = fresh("tenant");

  async function tenant(options: TenantOptions = {}): Promise<Client> {
    return connect(endpoint, await createKey(admin, { name: fresh("tenant"), ...options }));
  }

  beforeAll(async () => {
    opened = await open();
    admin = connect(endpoint, opened.adminKey);
    api = await tenant({ name: own });
  });

  return {
    anonymous,
    get admin() {
      return admin;
    },
    get api() {
      return api;
    },
    tenant,
    indexed: () =>
      vi.waitFor(
        async () => {
          await endpoint().drainIndexer?.(own);
          const state = bodyOf(await admin.get<IndexState>(`/v1/admin/index?tenant=${own}`), 200);
          expect(state.waiting).toBe(0);
        },
        { interval: 20 },
      ),
  };
}
