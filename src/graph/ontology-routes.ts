// The ontology of memory types, as JSON or as Turtle, and its extensions: the classes, properties and shapes that a
// tenant adds.

import type { App } from "../http/app-context";
import { groupRoutes } from "../http/endpoint";
import { prefers } from "../http/read-request";
import { AnyJson, z } from "../kernel/common";
import { ok } from "../kernel/errors";
import { EXTENSION_NAMESPACE, toLocalTermName } from "../ontology/extension-names";
import {
  Extension,
  ExtensionAnswer,
  ExtensionDetail,
  ExtensionName,
  ExtensionPut,
  ExtensionPutQuery,
  ExtensionQuery,
} from "../ontology/extension-schemas";
import { CLASSES, INDIVIDUALS, NAMESPACE, PROPERTIES } from "../ontology/generated/terms.generated";
import { ONTOLOGY_TURTLE } from "../ontology/generated/turtle.generated";
import { listMemoryTypes, type TenantOntology, toPropertyTerm } from "../ontology/tenant-ontology";
import { deleteExtension, putExtension, readExtension } from "./extension-operations";

const Terms = z.array(z.record(z.string(), AnyJson));

export function ontologyRoutes(app: App): void {
  const routes = groupRoutes(app, { tag: "Memories" });

  routes.get("/v1/ontology", "getOntology", {
    summary:
      "Read the ontology with the tenant's extensions: classes, properties and individuals; as Turtle with `Accept: text/turtle`",
    bound: "open",
    responses: {
      200: {
        description: "The ontology",
        schema: z.object({
          namespace: z.string(),
          memory_types: z.array(z.string()),
          classes: Terms,
          properties: Terms,
          individuals: Terms,
        }),
        types: ["text/turtle"],
        exampleText: `<${NAMESPACE}Fact> a <http://www.w3.org/2002/07/owl#Class> .\n`,
        example: ONTOLOGY_EXCERPT,
      },
    },
    handle: async ({ c, services: { ontology, store } }) => {
      if (prefers(c, TURTLE)) {
        const added = ontology.version === null ? [] : await store.extensions.listDocuments();
        const documents = [ONTOLOGY_TURTLE, ...added.map(({ turtle }) => turtle)];
        return c.body(documents.join("\n"), 200, { "Content-Type": "text/turtle; charset=utf-8" });
      }
      return {
        namespace: NAMESPACE,
        memory_types: listMemoryTypes(ontology),
        classes: [...listTerms(CLASSES), ...listAddedClasses(ontology)],
        properties: [...listTerms(PROPERTIES), ...listAddedProperties(ontology)],
        individuals: [...listTerms(INDIVIDUALS), ...listAddedIndividuals(ontology)],
      };
    },
  });
}

function listTerms(terms: Record<string, object>) {
  return Object.entries(terms).map(([name, term]) => ({ name, iri: NAMESPACE + name, ...term }));
}

/** Terms of extensions have their prefix in references, and their local names as names, by which callers set them. */
function describeAdded(name: string) {
  const local = toLocalTermName(name);
  return { name: local, iri: EXTENSION_NAMESPACE + local };
}

function listAddedClasses({ added }: TenantOntology) {
  return [...added.classes].map(([name, { superclasses, ...term }]) => ({
    ...describeAdded(name),
    subClassOf: superclasses[0] ?? null,
    ...term,
  }));
}

function listAddedProperties({ added }: TenantOntology) {
  return [...added.properties].map(([name, property]) => ({
    ...describeAdded(name),
    ...toPropertyTerm(property),
  }));
}

function listAddedIndividuals({ added }: TenantOntology) {
  return [...added.individuals].map(([name, term]) => ({ ...describeAdded(name), ...term }));
}

const ONTOLOGY_EXCERPT = {
  namespace: "https://jido.ai/ontology#",
  memory_types: ["fact", "assumption", "hypothesis"],
  classes: [
    {
      name: "Fact",
      iri: "https://jido.ai/ontology#Fact",
      subClassOf: "MemoryItem",
      label: "fact",
      comment: "Knowledge that has been verified.",
      module: "jido-knowledge",
    },
    {
      name: "ProcessConvention",
      iri: "https://jido.ai/ontology#ProcessConvention",
      subClassOf: "Convention",
      label: "process convention",
      comment: "A rule on how work is done: workflow, review, release, operations.",
      module: "jido-convention",
    },
  ],
  properties: [
    {
      name: "hasConventionScope",
      iri: "https://jido.ai/ontology#hasConventionScope",
      kind: "object",
      domain: "Convention",
      range: "ConventionScope",
      functional: true,
      symmetric: false,
      transitive: false,
      inverseOf: null,
      label: "has convention scope",
      comment: "How widely the convention holds.",
      module: "jido-convention",
    },
  ],
  individuals: [
    {
      name: "ProjectScope",
      iri: "https://jido.ai/ontology#ProjectScope",
      classes: ["ConventionScope"],
      label: "project scope",
      comment: "Holds in one project.",
      module: "jido-convention",
    },
  ],
};

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
