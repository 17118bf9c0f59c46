// The service a test file talks to: one already running (KIOKU_TEST_URL and KIOKU_TEST_ADMIN_KEY), or one
// started for the file. Each file has a tenant of its own, so files never see each other's data.
import { afterAll, beforeAll } from "vitest";
import { type Client, connect, fresh } from "./client";
import type { Key } from "./contract";
import { bodyOf } from "./expectations";
import { startTestServer } from "./server";

export type Service = {
  /** Without a key. */
  readonly anonymous: Client;
  readonly admin: Client;
  /** The file's tenant, with the default scopes. */
  readonly api: Client;
  /** A client of a tenant nobody else uses, or of the tenant named. */
  tenant(options?: { scopes?: string[]; name?: string }): Promise<Client>;
};

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;

export async function keyOf(admin: Client, tenant: string, scopes?: string[]): Promise<string> {
  const made = bodyOf(await admin.post<Key>("/v1/keys", scopes ? { tenant, scopes } : { tenant }), 201);
  return made.key ?? "";
}

export function serviceUnderTest(): Service {
  const outside = process.env.KIOKU_TEST_URL;
  let server: TestServer | undefined;
  let address = "";
  const url = () => address;
  let admin = connect(url, null);
  let api = connect(url, null);
  const anonymous = connect(url, null);

  async function tenant(options: { scopes?: string[]; name?: string } = {}): Promise<Client> {
    return connect(url, await keyOf(admin, options.name ?? fresh("tenant"), options.scopes));
  }

  beforeAll(async () => {
    if (outside) {
      address = outside.replace(/\/$/, "");
      admin = connect(url, process.env.KIOKU_TEST_ADMIN_KEY ?? "");
    } else {
      server = await startTestServer();
      address = server.url;
      admin = connect(url, server.adminKey);
    }
    api = await tenant();
  });

  afterAll(async () => {
    await server?.stop();
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
  };
}
