import { expect, it } from "vitest";
import { freshId, newClient } from "../support";
import { newExperience, daysAgo } from "./support";

it("says a promoted pattern again", async () => {
  const client = await newClient();
  const project_id = freshId("project");
  const p = { pattern: "Handlers need a return type", project_id };
  const first = await client.call("POST", "/v1/patterns", { ...p, confidence: 0.7 });
  const second = await client.call("POST", "/v1/patterns", { ...p, confidence: 0.9 });
  const third = await client.call("POST", "/v1/patterns", { ...p, confidence: 0.7 });
  const fourth = await client.call("POST", "/v1/remember", { content: p.pattern, project_id, type: "hypothesis" });
  const fifth = await client.call("POST", "/v1/remember", { content: p.pattern, project_id, type: "discovery" });
  console.log("SAID", first.body.id, second.status, second.body.id, third.status, third.body.id, fourth.status, JSON.stringify(fourth.body), fifth.status, fifth.body.memory_id);
});

it("primes at once", async () => {
  const home = await newExperience();
  const id = await home.tell("Implement the checkout endpoint", { importance: 0.6 });
  const { id: p } = await home.state("Endpoints validate their input");
  const answers = await Promise.all(Array.from({ length: 16 }, () => home.call("POST", "/v1/prime", { goal: "Implement the checkout endpoint", project_id: home.project_id })));
  console.log("STATUS", answers.map(({ status }) => status).join(" "), (await home.episode(id)).usage_count, (await home.pattern(p)).usage_count);
});

it("primes big episodes", async () => {
  const home = await newExperience();
  for (let n = 0; n < 5; n += 1)
    await home.tell(`Implement the checkout endpoint, part ${n}`, { action_log: Array.from({ length: 460 }, (_, i) => ({ t: i, action: "run", error: `"${n}" `.repeat(100) })) });
  const a = await home.call("POST", "/v1/prime", { goal: "Implement the checkout endpoint", project_id: home.project_id });
  console.log("BIG", a.status, JSON.stringify(a.body).slice(0, 300));
  const b = await home.call("POST", "/v1/maintenance", { project_id: home.project_id, now: daysAgo(-10) });
  console.log("BIG", b.status, JSON.stringify(b.body).slice(0, 300));
});

it("many sources", async () => {
  const home = await newExperience();
  for (const [n, chars] of [[1000, 300], [1000, 500]] as const) {
    const source_episodes = Array.from({ length: n }, (_, i) => `${i}${"日".repeat(chars)}`);
    const a = await home.call("POST", "/v1/patterns", { pattern: `P ${chars}`, project_id: home.project_id, source_episodes });
    console.log("SOURCES", chars, a.status, JSON.stringify(a.body).slice(0, 200));
  }
  let last;
  for (let k = 0; k < 13; k += 1) {
    const source_episodes = Array.from({ length: 1000 }, (_, i) => `ep-${String(k * 1000 + i).padStart(32, "0")}`);
    last = await home.call("POST", "/v1/patterns", { pattern: `Many`, project_id: home.project_id, source_episodes });
    if (last.status > 201) break;
  }
  console.log("SOURCES", last?.status, JSON.stringify(last?.body).slice(0, 200));
});
