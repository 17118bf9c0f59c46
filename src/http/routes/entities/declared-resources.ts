// Resources that memories refer to: repositories, modules, domains, files, code concepts and justifications.
import { NAMESPACE } from "../../../ontology/terms.generated";
import {
  eraseResource,
  getResourcePosition,
  listDeclaredResources,
  putResource,
  readResourceDetail,
  readResourceTriples,
} from "../../../operations/entities/resource-operations";
import { pageSchema } from "../../../schemas/common";
import {
  ResourceDetail,
  ResourceParams,
  ResourcePut,
  ResourceQuery,
  ResourceReceipt,
  ResourceView,
} from "../../../schemas/entities/entity";
import type { App } from "../../app-context";
import { endpoint } from "../../endpoint";
import { decodeCursor, NamePosition, toPage } from "../../pagination";
import { describeTriples, respondWithTriples, SYNTAX_NOTE } from "../../rdf-response";

const TAG = "Agents, projects and resources";
const PATH = "/v1/resources/{class}/{id}";

export function resourceRoutes(app: App): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v1/resources",
      operationId: "listResources",
      summary: "List resources by class and id",
      tag: TAG,
      scope: "read",
      limitsReads: true,
      audit: { export: "export.resources" },
      bound: "owner",
      stage: "store",
      query: ResourceQuery,
      responses: {
        200: {
          description: "Resources",
          schema: pageSchema(ResourceView),
          example: { data: [RESOURCE], next_cursor: null },
        },
      },
    },
    async ({ c, services, query }) => {
      const { class: name = null, project_id = null, limit, cursor } = query;
      const after = decodeCursor(NamePosition, cursor)?.after ?? "";
      const filter = { class: name, project_id, after, limit: limit + 1 };
      const resources = await listDeclaredResources(services, filter);
      return c.json(toPage(resources, limit, (one) => ({ after: getResourcePosition(one) })));
    },
  );

  endpoint(
    app,
    {
      method: "put",
      path: PATH,
      operationId: "putResource",
      summary: "Declare a resource, or replace its properties",
      description: "Properties are checked against their domain and range, and references must exist.",
      tag: TAG,
      scope: "write",
      quota: ["bytes"],
      bound: "owner",
      stage: "store",
      params: ResourceParams,
      body: ResourcePut,
      example: {
        body: { project_id: "shop", properties: { filePath: "lib/shop/checkout/guest.ex" } },
      },
      responses: { 200: { description: "The resource", schema: ResourceView, example: RESOURCE } },
    },
    async ({ c, services, params: { class: kind, id }, body }) =>
      c.json(await putResource(services, { kind, id }, body)),
  );

  endpoint(
    app,
    {
      method: "get",
      path: PATH,
      operationId: "getResource",
      summary: "Read a resource, with the memories that refer to it",
      tag: TAG,
      scope: "read",
      bound: "handler",
      stage: "store",
      params: ResourceParams,
      responses: {
        200: {
          description: "The resource",
          schema: ResourceDetail,
          example: { ...RESOURCE, references: 0, referred_by: [] },
        },
      },
    },
    async ({ c, services, params: { class: kind, id } }) =>
      c.json(await readResourceDetail(services, { kind, id })),
  );

  endpoint(
    app,
    {
      method: "get",
      path: `${PATH}/triples`,
      operationId: "getResourceTriples",
      summary: "Read a resource as triples",
      description: SYNTAX_NOTE,
      tag: TAG,
      scope: "read",
      bound: "handler",
      stage: "store",
      params: ResourceParams,
      responses: {
        200: describeTriples(TRIPLES),
      },
    },
    async ({ c, services, params: { class: kind, id } }) =>
      respondWithTriples(c, await readResourceTriples(services, { kind, id })),
  );

  endpoint(
    app,
    {
      method: "delete",
      path: PATH,
      operationId: "deleteResource",
      summary: "Erase a resource, and the references to it",
      description: "The memories that refer to it stay, without the reference.",
      tag: TAG,
      scope: "write",
      audit: { action: "resource.erase" },
      bound: "handler",
      stage: "store",
      params: ResourceParams,
      responses: {
        200: {
          description: "The number of erased rows",
          schema: ResourceReceipt,
          example: { deleted: { resources: 1, triples: 3, references: 0 } },
        },
      },
    },
    async ({ c, services, params: { class: kind, id } }) =>
      c.json({ deleted: { resources: 1, ...(await eraseResource(services, { kind, id })) } }),
  );
}

const RESOURCE = {
  class: "source_file",
  id: "checkout-guest",
  project_id: "shop",
  properties: { filePath: ["lib/shop/checkout/guest.ex"], partOfProject: ["shop"] },
};

const SUBJECT = `${NAMESPACE}source_file_checkout-guest`;
const TRIPLES = {
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
