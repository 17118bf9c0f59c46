// The service a test file talks to: one already running (KIOKU_TEST_URL and KIOKU_TEST_ADMIN_KEY), or one
// started for the file. Each file has a tenant of its own, so files never see each other's data.
import { afterAll, beforeAll, expect, vi } from "vitest";
import { type Client, connect, fresh } from "./client";
import type { IndexState, Key } from "./contract";
import { bodyOf } from "./expectations";
import { startTestServer, type TestServer, type TestServerOptions } from "./server";

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

export type OwnService = Service & Pick<TestServer, "kill9" | "restart" | "output">;

async function createKey(admin: Client, { name: tenant, scopes, bind }: TenantOptions): Promise<string> {
  return bodyOf(await admin.post<Key>("/v1/keys", { tenant, scopes, bind }), 201).key ?? "";
}

function serviceAt(open: () => Promise<Pick<TestServer, "url" | "adminKey">>): Service {
  let address = { url: "", adminKey: "" };
  const url = () => address.url;
  const anonymous = connect(url, null);
  let admin = anonymous;
  let api = anonymous;
  const own = fresh("tenant");

  async function tenant(options: TenantOptions = {}): Promise<Client> {
    return connect(url, await createKey(admin, { name: fresh("tenant"), ...options }));
  }

  beforeAll(async () => {
    address = await open();
    admin = connect(url, address.adminKey);
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
          const state = bodyOf(await admin.get<IndexState>(`/v1/admin/index?tenant=${own}`), 200);
          expect(state.waiting).toBe(0);
        },
        { interval: 20 },
      ),
  };
}

/** A server for these tests alone, to be set up their way, or killed. */
export function ownServer(options: TestServerOptions = {}): OwnService {
  let server: TestServer | undefined;
  const running = (): TestServer => {
    if (server === undefined) throw new Error("the server has not been started");
    return server;
  };
  const service = serviceAt(async () => {
    server = await startTestServer(options);
    return server;
  });
  afterAll(() => server?.stop());
  const process: Pick<TestServer, "kill9" | "restart" | "output"> = {
    kill9: () => running().kill9(),
    restart: (env) => running().restart(env),
    output: () => running().output(),
  };
  return Object.assign(service, process);
}

export function serviceUnderTest(): Service {
  const outside = process.env.KIOKU_TEST_URL;
  if (!outside) return ownServer();
  const address = { url: outside.replace(/\/$/, ""), adminKey: process.env.KIOKU_TEST_ADMIN_KEY ?? "" };
  return serviceAt(async () => address);
}
