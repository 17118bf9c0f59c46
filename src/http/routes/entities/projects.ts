// Projects as subjects: their name, version, and the repositories, modules and domains that they have.
import { NAMESPACE } from "../../../ontology/terms.generated";
import {
  listProjects,
  putProject,
  readOwnerTriples,
  readProject,
} from "../../../operations/entities/declare-entity";
import { eraseOwner, selectCounts } from "../../../operations/owners/erase-owner";
import { PageQuery, pageSchema } from "../../../schemas/common";
import { ProjectParams, ProjectPut, ProjectView } from "../../../schemas/entities/entity";
import { ProjectReceipt } from "../../../schemas/owners/erasure";
import type { App } from "../../app-context";
import { groupRoutes } from "../../endpoint";
import { decodeCursor, NamePosition, toPage } from "../../pagination";
import { describeTriples, respondWithTriples, SYNTAX_NOTE } from "../../rdf-response";

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
    responses: {
      200: {
        description: "Projects",
        schema: pageSchema(ProjectView),
        example: { data: [PROJECT], next_cursor: null },
      },
    },
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
    params: ProjectParams,
    body: ProjectPut,
    example: { body: { properties: { projectName: "Shop", projectVersion: "2.4" } } },
    responses: { 200: { description: "The project", schema: ProjectView, example: PROJECT } },
    handle: ({ services, params: { project_id }, body }) => putProject(services, project_id, body),
  });

  routes.get("/v1/projects/{project_id}", "getProject", {
    summary: "Read a project",
    params: ProjectParams,
    responses: { 200: { description: "The project", schema: ProjectView, example: PROJECT } },
    handle: ({ services, params: { project_id } }) => readProject(services, project_id),
  });

  routes.get("/v1/projects/{project_id}/triples", "getProjectTriples", {
    summary: "Read a project as triples",
    description: SYNTAX_NOTE,
    params: ProjectParams,
    responses: { 200: describeTriples(TRIPLES) },
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
    params: ProjectParams,
    responses: {
      200: {
        description: "The number of erased rows",
        schema: ProjectReceipt,
        example: {
          deleted: {
            ...{ sessions: 1, messages: 2, memories: 4, episodes: 1, triples: 61, vectors: 7 },
            ...{ handoffs: 1, skill_proposals: 0, resources: 1, privacy_policies: 0 },
          },
        },
      },
    },
    handle: async ({ caller, services, params: { project_id: id } }) => {
      const privacyPolicy = caller.scopes.includes("admin");
      const erased = await eraseOwner(services, { kind: "project", id, privacyPolicy });
      return { deleted: selectCounts(erased, ProjectReceipt.shape.deleted.keyof().options) };
    },
  });
}

const PROJECT = {
  id: "shop",
  declared: true,
  properties: { projectName: ["Shop"], projectVersion: ["2.4"] },
};

const TRIPLES = {
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
