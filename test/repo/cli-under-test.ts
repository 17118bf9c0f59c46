// The command line against the service under test: with the key of the file's tenant, in a folder of its own.
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { sharedServer } from "../conformance/support/http-service";
import { type CommandCall, kioku, type Outcome } from "./kioku-command";

export function commandUnderTest() {
  const service = sharedServer();
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kioku-cli-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  function settings(key: string | null, more: Record<string, string> = {}): CommandCall {
    const url = service.api.url("");
    return { cwd: folder, env: { KIOKU_URL: url, ...(key === null ? {} : { KIOKU_API_KEY: key }), ...more } };
  }

  /** Runs a command with the key of the file's tenant. */
  function cli(args: string[], more: Partial<CommandCall> = {}): Promise<Outcome> {
    const { env, cwd } = settings(service.api.key);
    return kioku(args, { cwd: cwd ?? "", ...more, env: { ...env, ...more.env } });
  }

  /** Runs a command with the admin key. */
  function admin(args: string[]): Promise<Outcome> {
    return kioku(args, settings(null, { KIOKU_ADMIN_KEY: service.admin.key ?? "" }));
  }

  /** Returns the JSON of a command that succeeds. */
  async function json<T>(args: string[], more: Partial<CommandCall> = {}): Promise<T> {
    const { code, out, err } = await cli([...args, "--json"], more);
    expect(code, err).toBe(0);
    return JSON.parse(out) as T;
  }

  /** Stores a memory and returns its id. */
  async function remember(content: string, ...more: string[]): Promise<string> {
    return (await json<{ memory_id: string }>(["remember", content, ...more])).memory_id;
  }

  return { service, getFolder: () => folder, settings, cli, admin, json, remember };
}

/** Returns an address that nobody answers at. */
export async function findUnusedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
