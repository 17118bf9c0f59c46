// The service over HTTP, for tests that need a process of it: one shared by all files (setup.ts), or one for a file alone.
import { afterAll, inject } from "vitest";
import { openService, type Service } from "./open-service";
import { startTestServer, type TestServer, type TestServerOptions } from "./server";

type ServerProcess = Pick<TestServer, "stop" | "kill9" | "restart" | "output">;
export type OwnService = Service & ServerProcess;

const TIMEOUT_MS = 30_000;

/** Fails rather than hangs when the server does not answer. */
function fetchInTime(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/** A server for these tests alone, to be set up their way, or killed. */
export function ownServer(options: TestServerOptions = {}): OwnService {
  let server: TestServer | undefined;
  const running = (): TestServer => {
    if (server === undefined) throw new Error("the server has not been started");
    return server;
  };
  const service = openService(async () => {
    server = await startTestServer(options);
    return { ...server, fetch: fetchInTime };
  });
  afterAll(() => server?.stop());
  const process: ServerProcess = {
    stop: () => running().stop(),
    kill9: () => running().kill9(),
    restart: (env) => running().restart(env),
    output: () => running().output(),
  };
  return Object.assign(service, process);
}

/** The server that all files share. */
export function sharedServer(): Service {
  return openService(async () => ({ ...inject("sharedServer"), fetch: fetchInTime }));
}
