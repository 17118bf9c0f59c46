// What the queries of docs/sparql.md are about: the memory of a small shop, written through the API.
import type { Client } from "../support/client";
import type { Remembered } from "../support/contract";
import { bodyOf } from "../support/expectations";

export const PROJECT = "shop";

/** Remembers everything, and returns how many memories there are. */
export async function tellStory(api: Client): Promise<number> {
  let count = 0;
  const remember = async (type: string, content: string, more: object = {}): Promise<string> => {
    const body = { type, content, project_id: PROJECT, confidence: 0.9, ...more };
    count += 1;
    return bodyOf(await api.post<Remembered>("/v1/remember", body), 201).memory_id;
  };

  const triples = await remember("alternative", "Keep triples in D1");
  const neo4j = await remember("alternative", "Run Neo4j beside the Worker");
  await remember("architectural_decision", "Memory is kept as triples in D1", {
    rationale: "One store on the edge",
    properties: { hasAlternative: [triples, neo4j], selectedAlternative: triples },
  });
  await remember("implementation_decision", "Guests are known by their e-mail");

  const cents = await remember("coding_standard", "Money is an integer of cents", {
    properties: { hasConventionScope: "ProjectScope", hasEnforcementLevel: "Required" },
  });
  await remember("process_convention", "Releases are tagged", {
    properties: { hasConventionScope: "ProjectScope", hasEnforcementLevel: "Advisory" },
    evidence: ["runbook.md"],
  });

  const cause = await remember("root_cause", "The cache key lacks the tenant");
  const lesson = await remember("lesson_learned", "Every cache key begins with the tenant");
  await remember("bug", "A customer saw the cart of another shop", {
    properties: { hasErrorStatus: "Resolved", hasRootCause: cause, producedLesson: lesson },
  });
  const rounding = await remember("bug", "An invoice was off by a rounding error", {
    properties: { hasErrorStatus: "Resolved", hasRootCause: cause },
  });
  bodyOf(await api.post("/v1/links", { from: rounding, to: cents, relation: "contradicts" }), 201);
  await remember("incident", "Checkout was down for an hour", {
    properties: { hasErrorStatus: "Investigating" },
  });

  const address = await remember("assumption", "Guests have one address", {
    confidence: 0.5,
    valid_from: "2026-01-01T00:00:00.000Z",
  });
  bodyOf(await api.patch(`/v1/memories/${address}`, { valid_until: "2026-06-01T00:00:00.000Z" }), 200);
  await remember("assumption", "Every order has a currency", { confidence: 0.6, agent_id: "ada" });

  const task = (content: string, status: string, dependsOn?: string) =>
    remember("task", content, {
      properties: { hasTaskStatus: status, ...(dependsOn !== undefined && { dependsOn }) },
    });
  const design = await task("Design the checkout", "Completed");
  const write = await task("Write the checkout API", "Planned", design);
  const page = await task("Write the checkout page", "Planned", write);
  await task("Translate the checkout page", "Planned", page);

  await remember("fact", "Deploys run on Fridays", { key: "deploy-day" });
  await remember("fact", "Deploys run on Mondays", { key: "deploy-day" });
  const paypal = await remember("fact", "The shop accepts vouchers", { agent_id: "ada" });
  bodyOf(await api.post("/v1/forget", { memory_id: paypal, reason: "Vouchers ended in May" }), 200);

  for (const [goal, outcome] of [
    ["Make the checkout work for guests", "failure"],
    ["Cache the product pages", "success"],
  ])
    bodyOf(
      await api.post("/v1/episodes", { agent: "ada", project_id: PROJECT, context: { goal }, outcome }),
      201,
    );
  return count;
}
