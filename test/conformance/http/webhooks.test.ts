// Webhooks, with the receiver of the documentation as a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { root } from "../../repo/kioku-command";
import { newSession, remember } from "../support/actions";
import { bodyOf } from "../support/expectations";
import { ownServer } from "../support/http-service";

const kioku = ownServer({ env: { WEBHOOK_ALLOW_PRIVATE: "true" } });
const SECRET = "a secret of the test suite".replaceAll(" ", "-");

let folder = "";
let receiver: ChildProcess;
let output = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kioku-receiver-"));
  const page = await readFile(join(root, "docs/webhooks.md"), "utf8");
  const file = join(folder, "receiver.mjs");
  await writeFile(file, /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? "");
  receiver = spawn(process.execPath, [file], { env: { ...process.env, PORT: "0", WEBHOOK_SECRET: SECRET } });
  receiver.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  await vi.waitFor(() => expect(output).toMatch(/listening on \d+/));
});
afterAll(async () => {
  receiver.kill();
  await rm(folder, { recursive: true });
});

type Delivery = { id: string; status: string; attempts: number; response_status: number | null };

async function hook(secret: string): Promise<string> {
  const port = /listening on (\d+)/.exec(output)?.[1];
  const body = { url: `http://127.0.0.1:${port}/`, events: ["memory.created", "memory.forgotten"], secret };
  return bodyOf(await kioku.api.post<{ id: string }>("/v1/webhooks", body), 201).id;
}

async function deliveriesTo(id: string): Promise<Delivery[]> {
  return bodyOf(await kioku.api.get<{ data: Delivery[] }>(`/v1/webhooks/${id}/deliveries`), 200).data;
}

describe("the receiver of the documentation", () => {
  it("gets each event once and believes its signature, and no other one", async () => {
    const good = await hook(SECRET);
    const wrong = await hook("another-secret-of-theirs");
    const { id } = await newSession(kioku.api);
    const { memory_id } = await remember(kioku.api, id, "The invoices are in Lisbon");
    bodyOf(await kioku.api.post(`/v1/sessions/${id}/forget`, { memory_id }), 200);
    await vi.waitFor(() => expect(output).toContain(`memory.forgotten memories/${memory_id}`));
    expect(output.match(new RegExp(`memory.created memories/${memory_id}`, "g"))).toHaveLength(1);
    await vi.waitFor(async () =>
      expect((await deliveriesTo(good)).map(({ status }) => status)).toEqual(["delivered", "delivered"]),
    );
    await vi.waitFor(async () =>
      expect(await deliveriesTo(wrong)).toMatchObject([
        { status: "pending", response_status: 401 },
        { status: "pending", response_status: 401 },
      ]),
    );
  });
});
