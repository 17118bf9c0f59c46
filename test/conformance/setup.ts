// One server for the whole suite, as vitest's `globalSetup`: a start per file costs more than most files.
// Files that kill or configure their server still start their own.
import { buildWorker } from "../../scripts/lib/build-worker";
import { startTestServer, type TestServer } from "./support/server";

let server: TestServer | undefined;

export async function setup(): Promise<void> {
  await buildWorker();
  if (process.env.KIOKU_TEST_URL) return;
  server = await startTestServer();
  process.env.KIOKU_TEST_URL = server.url;
  process.env.KIOKU_TEST_ADMIN_KEY = server.adminKey;
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
