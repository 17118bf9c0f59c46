import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { freshId, newClient, sessionStub } from "../integration/support";

it("spike", async () => {
  const st = env.DB.prepare("SELECT 1 as a").bind();
  console.log(Object.keys(st), JSON.stringify(st), Object.getOwnPropertyNames(Object.getPrototypeOf(env.DB)), Object.getOwnPropertyNames(Object.getPrototypeOf(st)));
  const proto = Object.getPrototypeOf(env.DB);
  const original = proto.batch;
  let n = 0;
  proto.batch = function (...a: unknown[]) { n += 1; console.log("BATCH", (a[0] as any[]).map((s) => s.statement?.slice(0, 40))); return original.apply(this, a); };
  const c = await newClient();
  const id = freshId("s");
  const t0 = Date.now();
  console.log(await c.call("POST", `/v1/sessions/${id}/remember`, { content: "x y z" }));
  console.log(Date.now() - t0, n);
  const stub = sessionStub(c.tenant, id);
  await evictDurableObject(stub);
  console.log(await runDurableObjectAlarm(stub));
  console.log((await c.call("GET", `/v1/sessions/${id}`)).body);
  console.log(await runInDurableObject(stub, (i, s) => s.storage.getAlarm()));
  proto.batch = original;
  expect(1).toBe(1);
});
