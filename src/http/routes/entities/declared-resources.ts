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
import { groupRoutes } from "../../endpoint";
import { decodeCursor, NamePosition, toPage } from "../../pagination";
import { describeTriples, respondWithTriples, SYNTAX_NOTE } from "../../rdf-response";

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
    responses: {
      200: {
        description: "Resources",
        schema: pageSchema(ResourceView),
        example: { data: [RESOURCE], next_cursor: null },
      },
    },
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
    example: { body: { project_id: "shop", properties: { filePath: "lib/shop/checkout/guest.ex" } } },
    responses: { 200: { description: "The resource", schema: ResourceView, example: RESOURCE } },
    handle: ({ services, params: { class: kind, id }, body }) => putResource(services, { kind, id }, body),
  });

  routes.get(PATH, "getResource", {
    summary: "Read a resource, with the memories that refer to it",
    params: ResourceParams,
    responses: {
      200: {
        description: "The resource",
        schema: ResourceDetail,
        example: { ...RESOURCE, references: 0, referred_by: [] },
      },
    },
    handle: ({ services, params: { class: kind, id } }) => readResourceDetail(services, { kind, id }),
  });

  routes.get(`${PATH}/triples`, "getResourceTriples", {
    summary: "Read a resource as triples",
    description: SYNTAX_NOTE,
    params: ResourceParams,
    responses: { 200: describeTriples(TRIPLES) },
    handle: async ({ c, services, params: { class: kind, id } }) =>
      respondWithTriples(c, await readResourceTriples(services, { kind, id })),
  });

  routes.delete(PATH, "deleteResource", {
    summary: "Erase a resource, and the references to it",
    description: "The memories that refer to it stay, without the reference.",
    audit: { action: "resource.erase" },
    params: ResourceParams,
    responses: {
      200: {
        description: "The number of erased rows",
        schema: ResourceReceipt,
        example: { deleted: { resources: 1, triples: 3, references: 0 } },
      },
    },
    handle: async ({ services, params: { class: kind, id } }) => ({
      deleted: { resources: 1, ...(await eraseResource(services, { kind, id })) },
    }),
  });
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
