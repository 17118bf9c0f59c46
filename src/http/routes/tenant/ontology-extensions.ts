// Extensions of the ontology: the classes, properties and shapes that a tenant adds.
import {
  deleteExtension,
  putExtension,
  readExtension,
} from "../../../operations/ontology/extension-operations";
import { ok } from "../../../platform/errors";
import { z } from "../../../schemas/common";
import {
  Extension,
  ExtensionAnswer,
  ExtensionDetail,
  ExtensionName,
  ExtensionPut,
  ExtensionPutQuery,
  ExtensionQuery,
} from "../../../schemas/tenant/extension";
import type { App } from "../../app-context";
import { groupRoutes } from "../../endpoint";
import { prefers } from "../../read-request";

const TURTLE = "text/turtle";
const ExtensionParams = z.object({ name: ExtensionName });

export function extensionRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Memories", stage: "store" });

  routes.get("/v1/ontology/extensions", "listOntologyExtensions", {
    summary: "List the extensions of the ontology",
    bound: "open",
    responses: {
      200: {
        description: "The extensions that hold, by name",
        schema: z.object({ data: z.array(Extension) }),
        example: { data: [EXTENSION] },
      },
    },
    handle: async ({ services: { store } }) => ({ data: await store.extensions.list() }),
  });

  routes.put("/v1/ontology/extensions/{name}", "putOntologyExtension", {
    summary: "Add classes, properties and shapes to the ontology, or replace those of an extension",
    description:
      "The body is Turtle, `text/turtle` or as JSON. Terms are in the namespace `https://jido.ai/ontology/extension#`. A " +
      "class below `jido:MemoryItem` becomes a memory type, in snake_case. Each call makes a new version. Refused with " +
      "422 if the extension is not consistent, and with 409 if stored memories do not conform to it: `errors` has their " +
      "ids.",
    scope: "admin",
    audit: { action: "ontology.change" },
    params: ExtensionParams,
    query: ExtensionPutQuery,
    body: ExtensionPut,
    bodyTypes: new Map([[TURTLE, (turtle: string) => ok({ turtle })]]),
    bodyRequired: true,
    example: { body: { turtle: EXAMPLE_TURTLE }, text: EXAMPLE_TURTLE },
    responses: {
      200: {
        description: "The version that holds now",
        schema: ExtensionAnswer,
        example: { ...EXTENSION, memory_types: ["runbook"] },
      },
    },
    handle: ({ services, params: { name }, query: { expected_version = null }, body: { turtle } }) =>
      putExtension(services, { name, turtle, expected: expected_version }),
  });

  routes.get("/v1/ontology/extensions/{name}", "getOntologyExtension", {
    summary:
      "Read an extension of the ontology, or an earlier version of it; as Turtle with `Accept: text/turtle`",
    bound: "open",
    params: ExtensionParams,
    query: ExtensionQuery,
    mayBeMissing: true,
    responses: {
      200: {
        description: "The extension",
        schema: ExtensionDetail,
        types: [TURTLE],
        exampleText: EXAMPLE_TURTLE,
        example: { ...EXTENSION, versions: [1] },
      },
    },
    handle: async ({ c, services, params: { name }, query: { version = null } }) => {
      const extension = await readExtension(services, name, version);
      return prefers(c, TURTLE)
        ? c.body(extension.turtle, 200, { "Content-Type": `${TURTLE}; charset=utf-8` })
        : c.json(extension);
    },
  });

  routes.delete("/v1/ontology/extensions/{name}", "deleteOntologyExtension", {
    summary: "Remove an extension of the ontology",
    description: "Refused with 409 while live memories use its terms. Its versions stay readable.",
    scope: "admin",
    audit: { action: "ontology.remove" },
    params: ExtensionParams,
    mayBeMissing: true,
    responses: { 204: { description: "Removed", schema: null } },
    handle: ({ services, params: { name } }) => deleteExtension(services, name),
  });
}

const EXAMPLE_TURTLE = `@prefix ext: <https://jido.ai/ontology/extension#> .
@prefix jido: <https://jido.ai/ontology#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

ext:Runbook a owl:Class ; rdfs:subClassOf jido:Plan ; rdfs:label "runbook" .
`;

const EXTENSION = {
  name: "operations",
  version: 1,
  turtle: EXAMPLE_TURTLE,
  created_at: "2026-01-06T10:30:00.000Z",
  current: true,
};
