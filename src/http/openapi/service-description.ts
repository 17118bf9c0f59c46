// What the OpenAPI document says of the service as a whole.
import { VERSION } from "../../version";

const DESCRIPTION = `Memory for hosted AI agents, on Cloudflare's edge. An agent sends its conversation and its notes; Kioku keeps them in a session, decides what is worth keeping, writes that as ontology-typed triples with their provenance, and gives the right pieces back within a token budget.

**Keys.** Send \`Authorization: Bearer <key>\`. A key belongs to one tenant and has scopes: \`read\`, \`write\`, \`admin\`. \`npm start\` prints one for the tenant \`local\`; \`POST /v1/keys\`, with the admin key, makes more. Another tenant's objects are a 404.

**Errors** are \`application/problem+json\` with a stable \`code\`, a \`detail\` that says what to do, and \`errors\` with the path of each field that was refused. A call that was refused has changed nothing.

**Lists** take \`limit\` (1 to 100, 20 by default) and \`cursor\`, and answer \`{data, next_cursor}\`. Give \`next_cursor\` as \`cursor\` for the next page; \`null\` is the end.

**Idempotency.** Any POST takes an \`Idempotency-Key\`: repeated within 24 hours it gives the same answer and does the work once.

**Every answer** has \`X-Request-Id\`, and \`Server-Timing\` with the time in each stage. JSON is snake_case, times are ISO 8601 in UTC, bodies have at most 1 MB.

The examples tell one story: the agent \`ada\` works on the project \`shop\` and remembers it.`;

/** In the order in which a reader meets them. */
const TAGS = [
  { name: "Tools", description: "What an agent calls itself: remember, recall, forget" },
  { name: "Sessions", description: "One conversation or task; made, read, paused, closed, erased" },
  {
    name: "Short-term memory",
    description: "What a session holds: messages, working context, what waits to be promoted",
  },
  { name: "Memories", description: "Long-term memories by id, with their provenance, and the ontology" },
  { name: "Links", description: "How memories relate, and where they contradict each other" },
  {
    name: "Knowledge graph",
    description: "Entities, their observations and their relations, as the memory server of MCP has them",
  },
  { name: "Policy and turns", description: "Memory in two calls: before an agent's model, and after it" },
  {
    name: "Cognition",
    description:
      "What an agent believes and wants now: spaces, tasks, thread, projectors, directives, signals",
  },
  {
    name: "Experience",
    description: "Learning from attempts: episodes, patterns, learnings, and what to know before a task",
  },
  { name: "Skills", description: "Ways of doing something that can be followed again" },
  {
    name: "Ledgers and handoffs",
    description: "Where an agent stands, and what it leaves to another",
  },
  { name: "mem0", description: "The calls of mem0's own clients, with `/mem0` as their host" },
  { name: "Keys", description: "API keys of tenants; needs the admin key" },
  { name: "Administration", description: "For whoever runs the service; needs the admin key" },
  { name: "Service", description: "Open to everybody" },
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
    "A key of a tenant, as `npm start` prints it or `POST /v1/keys` makes it; for Keys and Administration, the admin key.",
} as const;
