import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { decayed, lifted } from "../../../src/experience/decay";
import { freshId, newClient } from "../support";

it("numbers", async () => {
  const xs: number[] = [];
  for (let i = 0; i < 200000; i += 1) {
    let x = Math.random();
    if (i % 3 === 0) x = lifted(Math.round(x * 100) / 100);
    if (i % 3 === 1) x = decayed(lifted(x), "2026-01-01T00:00:00.000Z", "2026-01-13T11:12:13.141Z");
    xs.push(x);
  }
  let bad = 0;
  const v = await env.DB.prepare("SELECT sqlite_version() AS v").first().catch((e) => String(e));
  for (let at = 0; at < xs.length; at += 10000) {
    const part = xs.slice(at, at + 10000);
    const { results } = await env.DB.prepare("SELECT CAST(value ->> '$.x' AS REAL) AS x, (value ->> '$.x') IS (value ->> '$.x') AS s FROM json_each(?)").bind(JSON.stringify(part.map((x) => ({ x })))).all<{ x: number }>();
    results.forEach(({ x }, i) => { if (x !== part[i]) bad += 1; });
  }
  console.log("BAD", bad, xs.length, JSON.stringify(v));
});

it("says a promoted pattern again", async () => {
  const client = await newClient();
  const project_id = freshId("project");
  const p = { pattern: "Handlers need a return type", project_id };
  const first = await client.call("POST", "/v1/patterns", { ...p, confidence: 0.7 });
  const second = await client.call("POST", "/v1/patterns", { ...p, confidence: 0.9 });
  const third = await client.call("POST", "/v1/patterns", { ...p, confidence: 0.7 });
  const fourth = await client.call("POST", "/v1/remember", { content: p.pattern, project_id, type: "hypothesis" });
  const fifth = await client.call("POST", "/v1/remember", { content: p.pattern, project_id, type: "discovery" });
  console.log("SAID", first.body.id, second.status, second.body.id, third.status, JSON.stringify(third.body), fourth.status, JSON.stringify(fourth.body), fifth.status, fifth.body.memory_id);
  expect(1).toBe(1);
});
