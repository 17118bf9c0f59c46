// One server for all files over HTTP, as vitest's `globalSetup`: a start per file costs more than most files. Files that
// kill or configure their server start their own.
import type { TestProject } from "vitest/node";
import { buildWorker } from "../../scripts/lib/build-worker";
import { startTestServer, type TestServer } from "./support/server";

let server: TestServer | undefined;

export async function setup(project: TestProject): Promise<void> {
  await buildWorker();
  server = await startTestServer();
  project.provide("sharedServer", { url: server.url, adminKey: server.adminKey });
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
