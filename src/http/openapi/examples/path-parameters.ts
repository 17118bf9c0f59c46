// What the story puts into the paths, by how a path goes up to the parameter.

const VALUES: Readonly<Record<string, string>> = {
  "sessions/{id}": "checkout-fix",
  "context/{key}": "framework",
  "spaces/{name}": "hypotheses",
  "keys/{key}": "cause",
  "tasks/{task_id}": "guest-test",
  "projectors/{name}": "facts",
  "mem0/v1/memories/{id}": "cba7dc502ec791d8f32ae808fe6261bd",
  "entities/{type}": "user",
  "{type}/{name}": "mia",
  "memories/{id}": "b924eb2b8ea1f386820e4e58919566bf",
  "links/{id}": "8ac6da3a4cfcb62da1645ee7fb360a9a",
  "contradictions/{id}": "8ac6da3a4cfcb62da1645ee7fb360a9a",
  "episodes/{id}": "ep-guest-checkout",
  "patterns/{id}": "guest-checkout-needs-a-test",
  "agents/{agent_id}": "ada",
  "skills/{slug}": "deploy-shop",
  "ledgers/{agent_id}": "ada",
  "handoffs/{id}": "handoff-412",
  "keys/{id}": "key_f57b2c6f9a1c7c2d275d12ac",
};

export function pathExample(path: string, name: string): string | undefined {
  const [before = ""] = path.split(`{${name}}`);
  const [, value] = Object.entries(VALUES).find(([end]) => `${before}{${name}}`.endsWith(`/${end}`)) ?? [];
  return value;
}
