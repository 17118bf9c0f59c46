// The parts of the OpenAPI document that describe the service as a whole.
import { VERSION } from "../kernel/version";

const DESCRIPTION = `Memory for hosted AI agents, on Cloudflare's edge. An agent sends its conversation and notes to a session. Kioku promotes the important parts to long-term memory, stored as ontology-typed triples with provenance, and returns the relevant memories within a token budget.

**Keys.** Send \`Authorization: Bearer <key>\`. A key belongs to one tenant and has scopes: \`read\`, \`write\`, \`admin\`. \`npm start\` prints a key for the tenant \`local\`; \`POST /v1/keys\` with the admin key creates more. \`security\` names the scope of each route. A key without \`read\` gets ids, revisions and counts back, never stored content; a key without \`write\` changes nothing, not even counts. Resources of another tenant are a 404.

**Errors** are \`application/problem+json\` with a stable \`code\`, a \`detail\` that explains the fix, and \`errors\` with the path of each invalid field, at most 20. A rejected request has no effect.

**Lists** take \`limit\` (1 to 100, default 20) and \`cursor\`, and return \`{data, next_cursor}\`. Send \`next_cursor\` as \`cursor\` to get the next page; \`null\` marks the last page.

**Idempotency.** Every POST takes an \`Idempotency-Key\`: a repeated request with the same key within 24 hours has no further effect and returns the first response, or if that is over 64 KB, its ids, revisions and counts. Calls that only read accept the key and store nothing.

**Every response** has the headers \`X-Request-Id\` and \`Server-Timing\` with the duration of each stage. JSON is snake_case, times are ISO 8601 in UTC, bodies are limited to 1 MB.

The examples follow one scenario: the agent \`ada\` works on the project \`shop\`.`;

/** In the order of the API reference. */
const TAGS = [
  { name: "Tools", description: "The operations that an agent calls itself: remember, recall, forget" },
  {
    name: "Sessions",
    description: "A session is one conversation or task. Create, read, pause, close and delete sessions",
  },
  {
    name: "Short-term memory",
    description: "The contents of a session: messages, working context, and memories pending promotion",
  },
  { name: "Memories", description: "Long-term memories by id, with their provenance, and the ontology" },
  { name: "Links", description: "Relations between memories, and contradictions" },
  { name: "SPARQL", description: "Queries over the tenant's graph, in the standard language" },
  {
    name: "Knowledge graph",
    description: "Entities with observations and relations, compatible with the MCP memory server",
  },
  {
    name: "Users",
    description:
      "The people whom memories concern: their profile, and the erasure of everything of one person",
  },
  {
    name: "Agents, projects and resources",
    description:
      "Agents with roles and capabilities, projects, and the files, modules and concepts that memories refer to",
  },
  {
    name: "Export and import",
    description: "Everything that is stored of a tenant or an owner, to keep safe or to take elsewhere",
  },
  {
    name: "Policy and turns",
    description: "Memory in two calls: one before the agent's model runs, one after",
  },
  {
    name: "Privacy",
    description: "What is done with personal data. Secrets are always masked",
  },
  {
    name: "Cognition",
    description:
      "The current beliefs and goals of an agent: spaces, tasks, thread, projectors, directives, signals",
  },
  {
    name: "Experience",
    description: "Learning from attempts: episodes, patterns, learnings, and briefings before a task",
  },
  { name: "Skills", description: "Reusable instructions for a procedure" },
  {
    name: "Ledgers and handoffs",
    description: "Checkpoints of an agent, and work handed over to another agent",
  },
  { name: "mem0", description: "The API of mem0's own clients, with `/mem0` as the host" },
  {
    name: "Webhooks",
    description: "Signed events of memories, episodes and consolidations, sent to an address",
  },
  { name: "Usage", description: "What a tenant stores, and its quotas" },
  { name: "Keys", description: "API keys of tenants. Requires the admin key" },
  { name: "Administration", description: "Operation of the service. Requires the admin key" },
  { name: "Service", description: "Routes that need no key" },
];

export const SERVICE_DESCRIPTION = {
  openapi: "3.1.0",
  info: {
    title: "Kioku",
    version: VERSION,
    summary: "Memory for hosted AI agents",
    description: DESCRIPTION,
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "/", description: "The service that serves this document" }],
  tags: TAGS,
};

export const BEARER = {
  type: "http",
  scheme: "bearer",
  description:
    "A key of a tenant, from `npm start` or `POST /v1/keys`; for Keys and Administration, the admin key.",
} as const;
