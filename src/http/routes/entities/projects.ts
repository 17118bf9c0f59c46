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
import { endpoint } from "../../endpoint";
import { decodeCursor, NamePosition, toPage } from "../../pagination";
import { describeTriples, respondWithTriples, SYNTAX_NOTE } from "../../rdf-response";

const TAG = "Agents, projects and resources";

export function projectRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v1/projects",
      operationId: "listProjects",
      summary: "List projects by id",
      description: "Those that are declared, and those that a session, a memory or an episode names.",
      tag: TAG,
      scope: "read",
      limitsReads: true,
      audit: { export: "export.projects" },
      bound: "handler",
      stage: "store",
      query: PageQuery,
      responses: {
        200: {
          description: "Projects",
          schema: pageSchema(ProjectView),
          example: { data: [PROJECT], next_cursor: null },
        },
      },
    },
    async ({ c, services, query: { limit, cursor } }) => {
      const after = decodeCursor(NamePosition, cursor)?.after ?? "";
      const projects = await listProjects(services, { after, limit: limit + 1 });
      return c.json(toPage(projects, limit, ({ id }) => ({ after: id })));
    },
  );

  endpoint(
    app,
    {
      method: "put",
      path: "/v1/projects/{project_id}",
      operationId: "putProject",
      summary: "Declare a project",
      description: "Replaces its declaration; without properties, removes it.",
      tag: TAG,
      scope: "write",
      quota: ["bytes"],
      bound: "project",
      stage: "store",
      params: ProjectParams,
      body: ProjectPut,
      example: { body: { properties: { projectName: "Shop", projectVersion: "2.4" } } },
      responses: { 200: { description: "The project", schema: ProjectView, example: PROJECT } },
    },
    async ({ c, services, params: { project_id }, body }) =>
      c.json(await putProject(services, project_id, body)),
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/projects/{project_id}",
      operationId: "getProject",
      summary: "Read a project",
      tag: TAG,
      scope: "read",
      bound: "project",
      stage: "store",
      params: ProjectParams,
      responses: { 200: { description: "The project", schema: ProjectView, example: PROJECT } },
    },
    async ({ c, services, params: { project_id } }) => c.json(await readProject(services, project_id)),
  );

  endpoint(
    app,
    {
      method: "get",
      path: "/v1/projects/{project_id}/triples",
      operationId: "getProjectTriples",
      summary: "Read a project as triples",
      description: SYNTAX_NOTE,
      tag: TAG,
      scope: "read",
      bound: "project",
      stage: "store",
      params: ProjectParams,
      responses: {
        200: describeTriples(TRIPLES),
      },
    },
    async ({ c, services, params: { project_id: id } }) =>
      respondWithTriples(c, await readOwnerTriples(services, { kind: "project", id })),
  );

  endpoint(
    app,
    {
      method: "delete",
      path: "/v1/projects/{project_id}",
      operationId: "deleteProject",
      summary: "Erase everything of a project from every store",
      description:
        "Erases its sessions with their short-term memory, its messages, memories, patterns, learnings, skills and " +
        "episodes, its handoffs, proposed skills and resources, its declaration, its briefing counts, and the state of its " +
        "consolidation. After a 503, send the same call again: it continues where the first one stopped, and its receipt " +
        "counts what it erased itself. A key with the scope `admin` also erases the project's privacy policy.",
      tag: TAG,
      scope: "write",
      bound: "project",
      audit: { action: "project.erase" },
      stage: "store",
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
    },
    async ({ c, caller, services, params: { project_id: id } }) => {
      const privacyPolicy = caller.scopes.includes("admin");
      const erased = await eraseOwner(services, { kind: "project", id, privacyPolicy });
      return c.json({ deleted: selectCounts(erased, ProjectReceipt.shape.deleted.keyof().options) });
    },
  );
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
