// Agents, projects and resources as subjects: their classes, names, roles and capabilities; and what memories refer to:
// repositories, modules, domains, files, code concepts and justifications.

import type { App } from "../../http/app-context";
import { groupRoutes } from "../../http/endpoint";
import { decodeCursor, NamePosition, toPage } from "../../http/pagination";
import { describeTriples, respondWithTriples, SYNTAX_NOTE } from "../../http/rdf-response";
import { PageQuery, pageSchema } from "../../kernel/common";
import { NAMESPACE } from "../../ontology/generated/terms.generated";
import { eraseOwner, selectCounts } from "../erase-owner";
import {
  listAgents,
  listProjects,
  putAgent,
  putProject,
  readAgent,
  readOwnerTriples,
  readProject,
} from "./declare-entity";
import {
  AgentPut,
  AgentReceipt,
  AgentView,
  ProjectPut,
  ProjectReceipt,
  ProjectView,
  ResourceDetail,
  ResourceParams,
  ResourcePut,
  ResourceQuery,
  ResourceReceipt,
  ResourceView,
} from "./entity-schemas";
import {
  eraseResource,
  getResourcePosition,
  listDeclaredResources,
  putResource,
  readResourceDetail,
  readResourceTriples,
} from "./resource-operations";

export function agentRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Agents, projects and resources", stage: "store" });

  routes.get("/v1/agents", "listAgents", {
    summary: "List agents by id",
    description:
      "Those that are declared, and those that a session, a memory, an episode, a policy or a ledger names.",
    limitsReads: true,
    audit: { export: "export.agents" },
    bound: "handler",
    query: PageQuery,
    responses: { 200: { description: "Agents", schema: pageSchema(AgentView) } },
    handle: async ({ services, query: { limit, cursor } }) => {
      const after = decodeCursor(NamePosition, cursor)?.after ?? "";
      const agents = await listAgents(services, { after, limit: limit + 1 });
      return toPage(agents, limit, ({ id }) => ({ after: id }));
    },
  });

  routes.put("/v1/agents/{agent_id}", "putAgent", {
    summary: "Declare an agent: its class, roles and capabilities",
    description:
      "Replaces its declaration; without a class and properties, removes it. An agent with any `hasCapability` needs " +
      "`CanQueryMemory` to read long-term memory and `CanWriteMemory` to write it.",
    quota: ["bytes"],
    audit: { action: "agent.change" },
    body: AgentPut,
    responses: { 200: { description: "The agent", schema: AgentView } },
    handle: ({ services, params: { agent_id }, body }) => putAgent(services, agent_id, body),
  });

  routes.get("/v1/agents/{agent_id}", "getAgent", {
    summary: "Read an agent",
    bound: "agent",
    responses: { 200: { description: "The agent", schema: AgentView } },
    handle: ({ services, params: { agent_id } }) => readAgent(services, agent_id),
  });

  routes.get("/v1/agents/{agent_id}/triples", "getAgentTriples", {
    summary: "Read an agent as triples",
    description: SYNTAX_NOTE,
    bound: "agent",
    responses: { 200: describeTriples(AGENT_TRIPLES) },
    handle: async ({ c, services, params: { agent_id: id } }) =>
      respondWithTriples(c, await readOwnerTriples(services, { kind: "agent", id })),
  });

  routes.delete("/v1/agents/{agent_id}", "deleteAgent", {
    summary: "Erase everything of an agent from every store",
    description:
      "Erases its sessions with their short-term memory, its messages, memories, entries and episodes, its policy, its " +
      "ledger, the handoffs from it and to it, its declaration and its briefing counts. After a 503, send the same " +
      "call again: it continues where the first one stopped, and its receipt counts what it erased itself.",
    bound: "agent",
    audit: { action: "agent.erase" },
    responses: { 200: { description: "The number of erased rows", schema: AgentReceipt } },
    handle: async ({ services, params: { agent_id: id } }) => {
      const erased = await eraseOwner(services, { kind: "agent", id });
      return { deleted: selectCounts(erased, AgentReceipt.shape.deleted.keyof().options) };
    },
  });
}

const AGENT_TRIPLES = {
  data: [
    ["http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "PrimaryAgent"],
    [`${NAMESPACE}hasRole`, "Planner"],
    [`${NAMESPACE}hasCapability`, "CanWriteMemory"],
  ].map(([predicate = "", object]) => ({
    subject: `${NAMESPACE}agent_ada`,
    predicate,
    object: `${NAMESPACE}${object}`,
  })),
};

export function projectRoutes(app: App): void {
  const routes = groupRoutes(app, {
    tag: "Agents, projects and resources",
    stage: "store",
    bound: "project",
  });

  routes.get("/v1/projects", "listProjects", {
    summary: "List projects by id",
    description: "Those that are declared, and those that a session, a memory or an episode names.",
    limitsReads: true,
    audit: { export: "export.projects" },
    bound: "handler",
    query: PageQuery,
    responses: { 200: { description: "Projects", schema: pageSchema(ProjectView) } },
    handle: async ({ services, query: { limit, cursor } }) => {
      const after = decodeCursor(NamePosition, cursor)?.after ?? "";
      const projects = await listProjects(services, { after, limit: limit + 1 });
      return toPage(projects, limit, ({ id }) => ({ after: id }));
    },
  });

  routes.put("/v1/projects/{project_id}", "putProject", {
    summary: "Declare a project",
    description: "Replaces its declaration; without properties, removes it.",
    quota: ["bytes"],
    body: ProjectPut,
    responses: { 200: { description: "The project", schema: ProjectView } },
    handle: ({ services, params: { project_id }, body }) => putProject(services, project_id, body),
  });

  routes.get("/v1/projects/{project_id}", "getProject", {
    summary: "Read a project",
    responses: { 200: { description: "The project", schema: ProjectView } },
    handle: ({ services, params: { project_id } }) => readProject(services, project_id),
  });

  routes.get("/v1/projects/{project_id}/triples", "getProjectTriples", {
    summary: "Read a project as triples",
    description: SYNTAX_NOTE,
    responses: { 200: describeTriples(PROJECT_TRIPLES) },
    handle: async ({ c, services, params: { project_id: id } }) =>
      respondWithTriples(c, await readOwnerTriples(services, { kind: "project", id })),
  });

  routes.delete("/v1/projects/{project_id}", "deleteProject", {
    summary: "Erase everything of a project from every store",
    description:
      "Erases its sessions with their short-term memory, its messages, memories, patterns, learnings, skills and " +
      "episodes, its handoffs, proposed skills and resources, its declaration, its briefing counts, and the state of its " +
      "consolidation. After a 503, send the same call again: it continues where the first one stopped, and its receipt " +
      "counts what it erased itself. A key with the scope `admin` also erases the project's privacy policy.",
    audit: { action: "project.erase" },
    responses: { 200: { description: "The number of erased rows", schema: ProjectReceipt } },
    handle: async ({ caller, services, params: { project_id: id } }) => {
      const privacyPolicy = caller.scopes.includes("admin");
      const erased = await eraseOwner(services, { kind: "project", id, privacyPolicy });
      return { deleted: selectCounts(erased, ProjectReceipt.shape.deleted.keyof().options) };
    },
  });
}

const PROJECT_TRIPLES = {
  data: [
    {
      subject: `${NAMESPACE}project_shop`,
      predicate: "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
      object: `${NAMESPACE}Project`,
    },
    {
      subject: `${NAMESPACE}project_shop`,
      predicate: `${NAMESPACE}projectName`,
      object: "Shop",
      datatype: "http://www.w3.org/2001/XMLSchema#string",
    },
  ],
};

const PATH = "/v1/resources/{class}/{id}";

export function resourceRoutes(app: App): void {
  const routes = groupRoutes(app, {
    tag: "Agents, projects and resources",
    stage: "store",
    bound: "handler",
  });

  routes.get("/v1/resources", "listResources", {
    summary: "List resources by class and id",
    limitsReads: true,
    audit: { export: "export.resources" },
    bound: "owner",
    query: ResourceQuery,
    responses: { 200: { description: "Resources", schema: pageSchema(ResourceView) } },
    handle: async ({ services, query }) => {
      const { class: name = null, project_id = null, limit, cursor } = query;
      const after = decodeCursor(NamePosition, cursor)?.after ?? "";
      const filter = { class: name, project_id, after, limit: limit + 1 };
      const resources = await listDeclaredResources(services, filter);
      return toPage(resources, limit, (one) => ({ after: getResourcePosition(one) }));
    },
  });

  routes.put(PATH, "putResource", {
    summary: "Declare a resource, or replace its properties",
    description: "Properties are checked against their domain and range, and references must exist.",
    quota: ["bytes"],
    bound: "owner",
    params: ResourceParams,
    body: ResourcePut,
    responses: { 200: { description: "The resource", schema: ResourceView } },
    handle: ({ services, params: { class: kind, id }, body }) => putResource(services, { kind, id }, body),
  });

  routes.get(PATH, "getResource", {
    summary: "Read a resource, with the memories that refer to it",
    params: ResourceParams,
    responses: { 200: { description: "The resource", schema: ResourceDetail } },
    handle: ({ services, params: { class: kind, id } }) => readResourceDetail(services, { kind, id }),
  });

  routes.get(`${PATH}/triples`, "getResourceTriples", {
    summary: "Read a resource as triples",
    description: SYNTAX_NOTE,
    params: ResourceParams,
    responses: { 200: describeTriples(RESOURCE_TRIPLES) },
    handle: async ({ c, services, params: { class: kind, id } }) =>
      respondWithTriples(c, await readResourceTriples(services, { kind, id })),
  });

  routes.delete(PATH, "deleteResource", {
    summary: "Erase a resource, and the references to it",
    description: "The memories that refer to it stay, without the reference.",
    audit: { action: "resource.erase" },
    params: ResourceParams,
    responses: { 200: { description: "The number of erased rows", schema: ResourceReceipt } },
    handle: async ({ services, params: { class: kind, id } }) => ({
      deleted: { resources: 1, ...(await eraseResource(services, { kind, id })) },
    }),
  });
}

const SUBJECT = `${NAMESPACE}source_file_checkout-guest`;
const RESOURCE_TRIPLES = {
  data: [
    {
      subject: SUBJECT,
      predicate: "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
      object: `${NAMESPACE}SourceFile`,
    },
    {
      subject: SUBJECT,
      predicate: `${NAMESPACE}filePath`,
      object: "lib/shop/checkout/guest.ex",
      datatype: "http://www.w3.org/2001/XMLSchema#string",
    },
    { subject: SUBJECT, predicate: `${NAMESPACE}partOfProject`, object: `${NAMESPACE}project_shop` },
  ],
};
